package users_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/settings/users"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

var _ = It("The notes on a population count identifiers that a spreadsheet changed, and padded ones",
	func() {
		const a, b = "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f01", "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f02"
		text := "id,userId\n" + a + ",1.2E+12\n" + b + ",NULL\n" + a + ",2.2E+12\n" + b + ",007\n" +
			a + ",nina \n" + b + ",\u00a0otto\n"
		reader := testkit.Must(users.Open(users.StandardInput, strings.NewReader(text), testkit.Contract()))
		Expect(reader.Notes()).To(BeEmpty())
		for err := error(nil); !errors.Is(err, io.EOF); {
			if _, err = reader.Next(); err != nil {
				Expect(err).To(MatchError(io.EOF))
			}
		}
		Expect(reader.Notes()).To(HaveExactElements(HavePrefix("3 values of userId are what a spreadsheet writes"),
			HavePrefix("2 values of userId begin or end with white space")))
	})

var _ = Describe("A user whom a population has twice", func() {
	const most = 100
	read := func(order ...int) error {
		var text strings.Builder
		for _, i := range order {
			text.WriteString(ndjsonOf(i, i+1))
		}
		r := openInput(strings.NewReader(text.String()))
		r.Remember(most)
		_, err := drainReader(r)
		return err
	}
	inOrder := func(count int) (order []int) {
		for i := range count {
			order = append(order, i)
		}
		return order
	}

	It("is an error wherever the second one is, if the first is among those that are remembered", func() {
		for _, first := range []int{0, 1, most - 1} {
			for _, between := range []int{1, 2, most, 5 * most} {
				order := append(inOrder(first+1+between), first)
				expectFault(read(order...), fmt.Sprintf("standard input:%d: the user with id ", len(order)),
					fmt.Sprintf("is already on line %d: remove one", first+1))
			}
		}
	})

	It("is an error directly after the first among later users", func() {
		expectFault(read(append(inOrder(3*most), 3*most-1)...), fmt.Sprintf(":%d: ", 3*most+1),
			fmt.Sprintf("is already on line %d", 3*most))
		Expect(read(append(inOrder(3*most), 2*most)...)).To(Succeed(), "it is not remembered")
	})

	It("is an error to a run, however late the first is", func() {
		const far = 1<<18 + 1
		path := testkit.Write(GinkgoT().TempDir(), "u.ndjson", []byte(ndjsonOf(0, far+1)+ndjsonOf(far-1, far)))
		_, _, err := users.ReadAll(path, testkit.Contract(), false)
		expectFault(err, fmt.Sprintf("u.ndjson:%d: ", far+2), fmt.Sprintf("is already on line %d: remove one", far))
	})
})
