package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// small is the population beside which the peak memory of a large one is held.
const small = 10_000

// each is how many requests a sweep sends for a user of whom there is nothing to read again.
const each = 4

// whole measures sweeps of a whole population at the reference, of which some users are planted to differ: the memory,
// whether the planted ones are found, and what a kill costs.
func (w *workbench) whole(t table, population, pairs int) error {
	peak, requests, killed, err := w.large(population)
	if err != nil {
		return err
	}
	beside, err := w.smallPeak(pairs)
	if err != nil {
		return err
	}
	own, err := ownPeak()
	if err != nil {
		return err
	}
	if own >= min(peak, beside) {
		return fmt.Errorf("the bench itself held %s, and a process that it starts counts as having held no less: the peak memory of a sweep (%s) can't be told",
			mebibytes(own), mebibytes(min(peak, beside)))
	}
	name := fmt.Sprintf("sweep of %d users", population)
	t.memory(name+", peak memory", peak, sweepMemoryBound)
	t.ratio(fmt.Sprintf("%s, peak memory beside %d users", name, small), mebibytes(peak), mebibytes(beside), float64(peak)/float64(beside), growthBound)
	fmt.Fprintf(t, "%s, those found of %d who differ\t%d\t-\t%d\t%d\tok\n", name, planted, planted, planted, planted)
	t.ratio(name+", requests when killed half-way and resumed, beside without", strconv.FormatInt(killed, 10), strconv.FormatInt(requests, 10),
		float64(killed)/float64(requests), killedBound)
	return nil
}

// large sweeps a population twice, the second time with a kill, and makes sure that both times the planted users are
// found. It gives the peak memory without a kill, and how many requests came to the target each time.
func (w *workbench) large(population int) (peak, requests, killed int64, err error) {
	users, target, stop, err := w.startPlanted(population)
	if err != nil {
		return 0, 0, 0, err
	}
	defer stop()
	defer func() { _ = os.Remove(users) }()

	end := progress(target, population, fmt.Sprintf("sweeping %d users", population))
	s, err := measure(w.sweepCommand(target, users), differs)
	end()
	if err == nil {
		err = w.verifyPlanted(population)
	}
	if err != nil {
		return 0, 0, 0, err
	}
	if requests, err = requestsAt(target); err != nil {
		return 0, 0, 0, err
	}
	end = progress(target, population, fmt.Sprintf("sweeping %d users, with a kill half-way", population))
	err = w.killAndResume(target, users, requests+each*int64(population)/2)
	end()
	if err == nil {
		err = w.verifyPlanted(population)
	}
	if err != nil {
		return 0, 0, 0, err
	}
	all, err := requestsAt(target)
	return s.peak, requests, all - requests, err
}

// killAndResume kills a sweep once the target has had so many requests, in a way that leaves it no time for anything,
// and has another process go on with it.
func (w *workbench) killAndResume(target, users string, until int64) error {
	first := w.sweepCommand(target, users)
	if err := first.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- first.Wait() }()
	if err := killAt(first.Process, ended, target, until); err != nil {
		return err
	}
	_, err := measure(w.sweepCommand(target, users, "--resume"), differs)
	return err
}

// killAt kills a process once the target has had so many requests; ended tells of its end.
func killAt(process *os.Process, ended <-chan error, target string, until int64) error {
	look := time.NewTicker(10 * time.Millisecond) // the target has other things to do than to tell how far it is
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("the sweep ended before it could be killed: %v", err)
		case <-look.C:
		}
		n, err := requestsAt(target)
		if err == nil && n < until {
			continue
		}
		_ = process.Kill() // its end tells what came of it
		if how := <-ended; err == nil && !wasKilled(how) {
			err = fmt.Errorf("the sweep ended before it could be killed: %v", how)
		}
		return err
	}
}

func wasKilled(err error) bool {
	exit, ok := err.(*exec.ExitError)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signal() == syscall.SIGKILL
}

// smallPeak is the median peak memory of sweeps of the small population.
func (w *workbench) smallPeak(times int) (int64, error) {
	users, target, stop, err := w.startPlanted(small)
	if err != nil {
		return 0, err
	}
	defer stop()
	var samples []sample
	for range times {
		s, err := measure(w.sweepCommand(target, users), differs)
		if err == nil {
			err = w.verifyPlanted(small)
		}
		if err != nil {
			return 0, err
		}
		samples = append(samples, s)
	}
	return median(samples).peak, nil
}

func (w *workbench) startPlanted(population int) (users, target string, stop func(), err error) {
	if users, err = w.writePopulation(population); err != nil {
		return "", "", nil, err
	}
	target, stop, err = w.start("--population", strconv.Itoa(population), plantedMode)
	return users, target, stop, err
}

// progress tells on the standard error how far a sweep has come, as its target sees it, for somebody who waits.
func progress(target string, population int, what string) (stop func()) {
	begun, _ := requestsAt(target) // a target that does not answer fails what is measured
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		every := time.NewTicker(5 * time.Second)
		defer every.Stop()
		for {
			select {
			case <-done:
				return
			case <-every.C:
				if n, err := requestsAt(target); err == nil {
					fmt.Fprintf(os.Stderr, "%s: %d of %d requests\n", what, n-begun, each*population)
				}
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}

func (w *workbench) sweepFolder() string { return filepath.Join(w.folder, "sweep") }
