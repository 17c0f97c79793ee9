package folder_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestFolder(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "folder")
}
