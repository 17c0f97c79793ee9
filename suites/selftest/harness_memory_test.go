package selftest_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// watchMemory samples the peak of a process's resident memory until the returned function is called, which returns the
// peak in bytes. wait4 is of no use for this: it counts the memory of the parent process too.
func watchMemory(pid int) (peak func() int64) {
	stop, found := make(chan struct{}), make(chan int64)
	go func() {
		highest := int64(0)
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for {
			highest = max(highest, peakMemory(pid))
			select {
			case <-stop:
				found <- highest
				return
			case <-ticker.C:
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-found
	}
}

// peakMemory returns the peak so far. It is 0 if the process has ended, or if the system is not Linux.
func peakMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "VmHWM:" {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}
