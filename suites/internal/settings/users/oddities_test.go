package users_test

import (
	"errors"
	"io"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/settings/users"
	testkit "authenticator-conformance/suites/internal/testkit/light"
)

var _ = It("The notes on a population count users that repeat, identifiers that a spreadsheet changed, and padded ones",
	func() {
		const a, b = "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f01", "0f6a2f4e-9a1d-4c53-8a55-0d2b1c7e9f02"
		text := "id,userId\n" + a + ",1.2E+12\n" + b + ",NULL\n" + a + ",1.2E+12\n" + b + ",007\n" +
			a + ",nina \n" + b + ",\u00a0otto\n"
		reader := testkit.Must(users.Open(users.StandardInput, strings.NewReader(text), testkit.Contract()))
		Expect(reader.Notes()).To(BeEmpty())
		for err := error(nil); !errors.Is(err, io.EOF); {
			if _, err = reader.Next(); err != nil {
				Expect(err).To(MatchError(io.EOF))
			}
		}
		Expect(reader.Notes()).To(HaveExactElements(HavePrefix("1 entry of the users file repeats a user"),
			HavePrefix("3 values of userId are what a spreadsheet writes"),
			HavePrefix("2 values of userId begin or end with white space")))
	})
