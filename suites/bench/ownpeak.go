package main

import (
	"bufio"
	"fmt"
	"os"
)

// ownPeak is the peak of the bench's own resident memory, in bytes. Linux counts it as the least peak of each process
// that the bench starts: until such a process has a program of its own, it shares the memory. What Getrusage tells
// would not do, as it has the peak of the process that started the bench in the same way.
func ownPeak() (int64, error) {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var kibibytes int64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kibibytes); n == 1 {
			return kibibytes << 10, nil
		}
	}
	if err := lines.Err(); err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("/proc/self/status does not tell the peak memory (VmHWM)")
}
