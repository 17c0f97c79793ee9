package main

import (
	"path/filepath"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
)

// TestASecretIsKnownBesideAFileThatBlocks has a pipe, which nobody writes to, as another file with a secret.
func TestASecretIsKnownBesideAFileThatBlocks(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	NewWithT(t).Expect(syscall.Mkfifo(pipe, 0o600)).To(Succeed())
	for command := range commandsWithSettings() {
		t.Run(command, func(t *testing.T) {
			x := newExposure(t, command, "AUTHN_ACCESS_TOKEN_V5="+secret, "AUTHN_ACCESS_TOKEN_FILE_V6="+pipe)
			x.expectHidden([]string{secret})
		})
	}
}
