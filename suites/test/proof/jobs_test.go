package proof_test

import (
	"context"
	"flag"
	"io"
	"iter"
	"log"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/debug"
	"sync"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/semaphore"
)

// sideBySide is how many services are judged at the same time. They mostly wait for sockets and deadlines.
const sideBySide = 64

// chosen matches the names of the services that are judged. What concerns all of them is left out if it matches some.
var chosen = regexp.MustCompile("")

func init() {
	flag.TextVar(chosen, "services", chosen, "judge only services whose names match this `regexp`, while you develop")
}

// atNight reports whether the services are judged, too, that a change is not checked with.
func atNight() bool { return Label(proofLabel, nightLabel).MatchesLabelFilter(GinkgoLabelFilter()) }

// allChosen reports whether no service is left out.
func allChosen() bool { return chosen.String() == "" && atNight() }

// chosenOf returns the services that are judged, with their places in the list.
func chosenOf(services []service) iter.Seq2[int, service] {
	return func(yield func(int, service) bool) {
		for i, s := range services {
			if chosen.MatchString(s.name) && (atNight() || !s.night) && !yield(i, s) {
				return
			}
		}
	}
}

// draw leaves to the night what the random seed does not draw: of each group all services but one, and of the groups
// all but one in so many. The services of the group "" are judged for each change.
func draw(services []service, oneIn int, groupOf func(service) string) {
	random, places := rand.New(rand.NewPCG(uint64(GinkgoRandomSeed()), 65)), map[string]int{}
	for _, i := range random.Perm(len(services)) {
		group := groupOf(services[i])
		if group == "" {
			continue
		}
		place, again := places[group]
		if !again {
			place = len(places)
			places[group] = place
		}
		services[i].night = again || place%oneIn != 0
	}
}

// nameOf makes each service a group of its own.
func nameOf(s service) string { return s.name }

// jobs judges services concurrently although specs run one after the other: the first result that a spec waits for
// starts all jobs. Its own starts first, so that a spec that runs alone does not wait for the others. A spec takes its
// result out, as three thousand of them need too much memory.
type jobs struct {
	list  []*job
	start sync.Once
	slots *semaphore.Weighted // limits how many services are judged at the same time
}

type job struct {
	service service
	done    chan struct{}
	result  *judged
}

func newJobs() *jobs { return &jobs{slots: semaphore.NewWeighted(sideBySide)} }

// add registers services in the order of their specs. Specs of many services stand in an Ordered container: else Ginkgo
// runs them by name, and results wait. The returned function waits for the result of the i-th one, which it returns
// once.
func (j *jobs) add(services []service) func(i int) *judged {
	own := map[int]*job{}
	for i, s := range chosenOf(services) {
		own[i] = &job{service: s, done: make(chan struct{})}
		j.list = append(j.list, own[i])
	}
	return func(i int) *judged { return j.result(own[i]) }
}

func (j *jobs) result(e *job) *judged {
	j.start.Do(func() { go j.judgeAll(e) })
	<-e.done
	result := e.result
	e.result = nil
	return result
}

// judgeAll judges all services in their order, but one of them first.
func (j *jobs) judgeAll(first *job) {
	j.begin(first)
	for _, e := range j.list {
		if e != first {
			j.begin(e)
		}
	}
}

// begin begins to judge a service as soon as there is a slot.
func (j *jobs) begin(e *job) {
	weight := int64(1)
	if e.service.heavy {
		weight = sideBySide / 4 // because of its memory
	}
	_ = j.slots.Acquire(context.Background(), weight) // a context without a deadline can't fail
	go func() {
		defer close(e.done)
		defer j.slots.Release(weight)
		folder, err := os.MkdirTemp("", "proof")
		if err != nil {
			e.result = &judged{err: err}
			return
		}
		defer os.RemoveAll(folder)
		e.result = e.service.judge(folder)
	}()
}

func TestProof(t *testing.T) {
	RegisterFailHandler(Fail)
	// As in the command, because net/http's client logs what a hostile target sends.
	log.SetOutput(io.Discard)
	debug.SetMemoryLimit(3 << 30) // services with large bodies are judged side by side
	services := newJobs()
	// Those that wait longest start first.
	registerConforming(services)
	registerFronts(services)
	registerHostile(services)
	registerMutants(services)
	registerUnknownEnrolmentConforming(services)
	registerUnknownEnrolmentMutants(services)
	registerCombinations(newJobs())
	registerDrawnFronts(newJobs())
	suite, reporter := GinkgoConfiguration()
	suite.Timeout = 0 // go test has its own
	RunSpecs(t, "proof", suite, reporter)
}
