package selftest_test

import (
	"net/http"
	"net/http/httptest"
	"sync"

	. "github.com/onsi/ginkgo/v2"
)

// sweepLabel labels the specs of the sweep.
const sweepLabel = "sweep"

// sweepSpecs drive the sweep of a population, and the merging of its shards.
func sweepSpecs(r *rig) {
	Describe("A sweep", Label(sweepLabel), func() {
		sweepFoundSpecs(r)
		killed := sweepKilledSpecs(r)
		sweepShardSpecs(r)
		throttled := sweepThrottledSpecs(r)
		sweepStoppedSpecs(r)
		sweepClosedSpecs(r)
		sweepResumedSpecs(r)
		sweepJudgedSpecs(r)
		sweepHostileSpecs(r)
		sweepCanarySpecs(r)
		sweepDiskSpecs(r)
		sweepFixturesSpecs(r)
		sweepMemorySpecs(r)

		// What waits more than it works is begun with the first spec, whichever that is.
		var once sync.Once
		BeforeEach(func() {
			once.Do(func() {
				r.jobs.Go(killed)
				r.jobs.Go(throttled)
			})
		})
	})
}

// sweepOf is a sweep of some users against a target, with the credentials of the embedded reference.
func (r *rig) sweepOf(url, users string, more ...string) command {
	return command{
		args: append([]string{"sweep", "--target-url", url, "--users", users}, more...),
		env:  credentials(),
	}
}

// sweepUsers sweeps users whose file it writes, in a folder of its own.
func (r *rig) sweepUsers(target http.Handler, p people, more ...string) *outcome {
	server := httptest.NewServer(target)
	defer server.Close()
	c := r.sweepOf(server.URL, "users.csv", more...)
	c.folder = r.work()
	write(c.folder, "users.csv", []byte(p.csv()))
	return r.call(c)
}
