package settings

import (
	"strings"

	"authenticator-conformance/schemas"
)

// definition is all that is known of one setting. One of take and entries reads it, but for the settings that only
// have a meaning together, which are read once all are known (target.go, token.go).
type definition struct {
	name, flag, env, key string
	form                 form
	// fallback is the value where none is given, as text; empty means there is none.
	fallback string
	// secret tells that the value is never shown.
	secret bool
	// runOnly tells that a sweep has no use for the setting.
	runOnly bool
	help    string
	// take judges a value that is one text. Its error does not say where the value stands.
	take func(*resolver, given) error
	// entries judges a value that holds entries, tells what to show of it, and names each fault with its line.
	entries func(*resolver, given) (string, []error)
}

// The names of the settings that the code refers to.
const (
	nameURL           = "target URL"
	nameToken         = "access token"
	nameTokenFile     = "access token file"
	nameApplicationID = "application id"
	nameCA            = "private CA"
	nameClientCert    = "client certificate"
	nameClientKey     = "client key"
	nameUsers         = "users"
	nameVersions      = "versions"
	nameReportDir     = "report folder"
	nameConfig        = "configuration file"
	nameBaseline      = "baseline"
	nameHeaders       = "headers"
	nameConcurrency   = "concurrency"
	nameRate          = "rate"
	nameTimeout       = "timeout"
	nameDeadline      = "deadline"
)

func nameVersionURL(v schemas.Version) string { return nameURL + " of " + string(v) }

// definitions is the table of all settings, in the order of the README.
func definitions() []definition {
	table := []definition{{
		name: nameURL, flag: "target-url", env: "AUTHN_TARGET_URL", key: "target.url", form: textForm("URL"),
		help: "base URL of the target, path prefix allowed; without any, the embedded reference is the target",
		take: takeURL(""),
	}}
	for _, v := range schemas.Versions() {
		table = append(table, definition{
			name: nameVersionURL(v), flag: "target-url-" + string(v),
			env: "AUTHN_TARGET_URL_" + strings.ToUpper(string(v)), key: "target." + string(v) + ".url",
			form: textForm("URL"), help: "base URL of " + string(v) + ", where it differs", take: takeURL(v),
		})
	}
	return append(table, []definition{
		{name: nameToken, env: "AUTHN_ACCESS_TOKEN", form: textForm("TOKEN"), secret: true,
			help: "the administrator's token"},
		{name: nameTokenFile, flag: "access-token-file", env: "AUTHN_ACCESS_TOKEN_FILE", key: "target.accessTokenFile",
			form: textForm("FILE"), help: "file that holds the administrator's token"},
		{name: nameApplicationID, flag: "application-id", env: "AUTHN_APPLICATION_ID", key: "target.applicationId",
			form: textForm("ID"), help: "identifier of the calling module", take: takeApplicationID},
		{name: nameCA, flag: "ca", env: "AUTHN_CA", key: "target.ca", form: textForm("FILE"),
			help: "certificates (PEM) of a private CA, trusted beside the system's", take: takeCA},
		{name: nameClientCert, flag: "client-cert", env: "AUTHN_CLIENT_CERT", key: "target.clientCert",
			form: textForm("FILE"), help: "client certificate (PEM) for the target"},
		{name: nameClientKey, flag: "client-key", env: "AUTHN_CLIENT_KEY", key: "target.clientKey",
			form: textForm("FILE"), help: "key (PEM) of the client certificate"},
		{name: nameHeaders, key: "target.headers", form: membersForm(), secret: true,
			help: "headers to send with every request, name: value, {env: NAME} or {file: PATH}; values count as secrets", entries: takeHeaders},
		{name: nameUsers, flag: "users", env: "AUTHN_USERS", key: "users", form: textForm("FILE"),
			help: "users to look up: YAML, JSON, NDJSON or CSV of id,userId", take: takeUsers},
		{name: nameVersions, flag: "versions", env: "AUTHN_VERSIONS", key: "versions", form: wordsForm("LIST"),
			fallback: allVersions(), help: "versions under test", take: takeVersions},
		{name: nameReportDir, flag: "report-dir", env: "AUTHN_REPORT_DIR", key: "reportDir", form: textForm("FOLDER"),
			fallback: "conformance-report", help: "where the reports go", take: takeReportDir},
		{name: nameConfig, flag: "config", env: "AUTHN_CONFIG", form: textForm("FILE"),
			help: "configuration file (YAML) of all these settings"},
		{name: nameConcurrency, flag: "concurrency", env: "AUTHN_CONCURRENCY", key: "concurrency", form: numberForm(),
			fallback: "8", help: "requests in flight, 1 to 256", take: takeConcurrency},
		{name: nameRate, flag: "rate", env: "AUTHN_RATE", key: "rate", form: numberForm(),
			fallback: "0", help: "requests per second; 0: unlimited", take: takeRate},
		{name: nameTimeout, flag: "timeout", env: "AUTHN_TIMEOUT", key: "timeout", form: durationForm(),
			fallback: "10s", help: "one request's deadline, up to 10m", take: takeTimeout},
		{name: nameDeadline, flag: "deadline", env: "AUTHN_DEADLINE", key: "deadline", form: durationForm(),
			fallback: "10m", help: "the run's deadline, up to 24h", take: takeDeadline},
		{name: "parity", flag: "parity", env: "AUTHN_PARITY", key: "parity.mode", form: textForm("MODE"),
			fallback: ParityValue, help: "what v5 and v6 must agree on: value or shape", take: takeParity},
		{name: "ignored places", key: "parity.ignore", form: entriesForm(),
			help: "JSON Pointers that parity leaves out: pointer, reason, until (optional)", entries: takeIgnore},
		{name: "divergence", runOnly: true, flag: "divergence", env: "AUTHN_DIVERGENCE", key: "divergence", form: textForm("MODE"),
			fallback: DivergenceReport, help: "what to do where v5 and v6 differ at an open point: report or fail",
			take: takeDivergence},
		{name: "waivers", key: "waivers", form: entriesForm(),
			help:    "what the target's owner sets aside: requirement (an id, a pattern or a list), version (optional), verdict (optional), reason, until",
			entries: takeWaivers},
		{name: nameBaseline, runOnly: true, flag: "baseline", env: "AUTHN_BASELINE", key: "baseline", form: textForm("FILE"),
			help: "baseline to gate against, of --update-baseline, or report.json of an earlier run", take: takeBaseline},
		{name: "label filter", runOnly: true, flag: "label-filter", form: textForm("FILTER"),
			help: "Ginkgo label filter that narrows the run", take: takeLabelFilter},
		{name: "focus", runOnly: true, flag: "focus", form: textForm("REGEXP"),
			help: "regular expression that narrows the run by the specs' texts", take: takeFocus},
	}...)
}

// definitionOf finds a setting by its name, which is one of the constants above.
func definitionOf(table []definition, name string) definition {
	for _, d := range table {
		if d.name == name {
			return d
		}
	}
	panic("settings: no definition has the name " + name)
}

// ways tells every way to give a setting, for the error that says it is missing. Settings that are two forms of one
// thing are told together.
func ways(definitions ...definition) string {
	var flags, variables, keys []string
	for _, d := range definitions {
		if d.flag != "" {
			flags = append(flags, "--"+d.flag)
		}
		if d.env != "" {
			variables = append(variables, d.env)
		}
		if d.key != "" {
			keys = append(keys, d.key)
		}
	}
	all := append(flags, variables...)
	return strings.Join(all, ", ") + " or " + strings.Join(keys, ", ") + " in the configuration file"
}
