package selftest_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// watchMemory looks again and again at the peak of a process's resident memory, as Linux tells it, until the function that
// it gives is called; that one gives the peak in bytes. What wait4 says of a process is of no use here: it counts the
// memory of the process that started it too.
func watchMemory(pid int) (peak func() int64) {
	stop, found := make(chan struct{}), make(chan int64)
	go func() {
		highest := int64(0)
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for {
			highest = max(highest, peakOf(pid))
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

// peakOf is the peak until now; 0 where the process has ended, or the system is none that tells.
func peakOf(pid int) int64 {
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
