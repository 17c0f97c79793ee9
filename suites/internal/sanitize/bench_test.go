package sanitize_test

import (
	"testing"

	"authenticator-conformance/suites/internal/sanitize"
)

// BenchmarkBody is what each answer costs in which no secret stands.
func BenchmarkBody(b *testing.B) {
	s := sanitize.NewSecrets("q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE1oXiQv5K", "q7Zt2mVx9RkL4wNbY8sHx3JfPg6DaTuE1oXiQv5K",
		"tenant-5Gk9Qw2Lz8Xr4Vn7Hd3Ts6")
	record := `{"AuthenticationCountLimit":12,"CreatedOn":"2019-03-06T21:00:21.514Z","Description":"Smartcard of the second floor","ExpirationDate":"2034-12-31T23:59:59Z",` +
		`"Flags":6,"Id":"efb6fbfe-8de4-4b47-9582-98e214b044d7","IsDisabled":false,"IsLocked":false,"ModeDeviceName":"Generic reader","ModeId":"8fa6aa43-dc44-4995-9ae9-007f4d0b1912",` +
		`"ModeType":3,"ModeTypeName":"Smartcard","UserId":"000731","SerialNumber":"30-3F-11-9C","Device":{"Id":"6e1d9a4e-2e0c-4d18-bd34-3b7b4ee2a1b7","AuthType":"e57bd4c7-52a8-4b5d-8c8d-cd24f0fd9d9e",` +
		`"SerialNumber":"SN 0042 4711","RegistrationDate":"2018-01-02T03:04:05","IsEnabled":true,"LastUserId":"000731","Comment":"","Model":"Omnikey 3121"},"CreatedBy":"administrator"}`
	b.SetBytes(int64(len(record)))
	for b.Loop() {
		if body, ok := s.Body(record); !ok || body != record {
			b.Fatal("a secret was found where none stands")
		}
	}
}
