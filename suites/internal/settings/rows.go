package settings

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"authenticator-conformance/schemas"
)

// rows returns the settings, with the defaults of a command, in the order of the README. To add a setting, add a row
// here and a field in Settings or Target; for the Go API, add one in its Config. If it changes verdicts, add it to
// Rules.
func rows(c Command) []setting {
	versions, defaultVersions := schemas.Named(schemas.Versions()), schemas.Versions()
	if c == Sweep { // it compares one pair, the newest
		pair := schemas.Pairs()[len(schemas.Pairs())-1]
		defaultVersions = []schemas.Version{pair.From, pair.To}
	}
	return []setting{
		{name: nameURL, field: "TargetURL", in: asking, kind: "URL", flag: "target-url", key: "target.url",
			ofTarget: true, set: inTarget(baseURL, func(t *Target) **url.URL { return &t.URL }),
			help: "base URL of the target, path prefix allowed; without any, the embedded reference is the target"},
		{name: nameToken, field: "AccessToken", in: asking, kind: "TOKEN", env: "AUTHN_ACCESS_TOKEN",
			ofTarget: true, set: (*resolver).setToken, help: "the administrator's token"},
		{name: nameTokenFile, replaces: nameToken, in: asking, kind: "FILE", flag: "access-token-file",
			key: "target.accessTokenFile", ofTarget: true, set: (*resolver).setTokenFile,
			help: "file that holds the administrator's token"},
		{name: nameApplicationID, field: "ApplicationID", in: asking, kind: "ID", flag: "application-id",
			key: "target.applicationId", ofTarget: true,
			set:  inTarget(applicationID, func(t *Target) *string { return &t.ApplicationID }),
			help: "identifier of the calling module"},
		{name: nameTLS, field: "TLS", in: asking, ofTarget: true, set: (*resolver).setTLS},
		{name: "private CA", in: asking, kind: "FILE", flag: "ca", key: "target.ca",
			ofTarget: true, set: (*resolver).setCA,
			help: "certificates (PEM) of a private CA, trusted beside the system's"},
		{name: nameClientCert, in: asking, kind: "FILE", flag: "client-cert", key: "target.clientCert",
			ofTarget: true, set: (*resolver).setClientCert, help: "client certificate (PEM) for the target"},
		{name: nameClientKey, in: asking, kind: "FILE", flag: "client-key", key: "target.clientKey",
			ofTarget: true, set: (*resolver).setClientKey, help: "key (PEM) of the client certificate"},
		{name: nameHeaders, field: "Header", in: asking, kind: kindHeaders, key: "target.headers",
			ofTarget: true, set: (*resolver).setHeaders,
			help: "headers to send with every request, name: value, {env: NAME} " +
				"or {file: PATH}; values count as secrets"},
		{name: nameProxy, field: "Proxy", in: asking, kind: "URL", flag: "proxy", key: "target.proxy",
			ofTarget: true, set: (*resolver).setProxy,
			help: "proxy to the target, " + noProxy + " for none; otherwise that of HTTPS_PROXY, HTTP_PROXY and " +
				"NO_PROXY"},
		{name: nameUsers, in: asking, kind: "FILE", flag: "users", key: "users", set: (*resolver).setUsers,
			help:      "users to look up: YAML, JSON, NDJSON or CSV of id,userId, also .gz",
			sweepHelp: "users to sweep: NDJSON or CSV of id,userId, also .gz; " + StandardInput + " is standard input"},
		{name: nameVersions, field: "Versions", in: asking, kind: kindList, flag: "versions", key: "versions",
			fallback: joined(defaultVersions, listSeparator),
			choices: append(strings.Split(joined(schemas.Versions(), listSeparator), listSeparator),
				joined(schemas.Versions(), listSeparator)),
			set: (*resolver).setVersions, help: "versions under test"},
		{name: nameReportDir, field: "ReportDir", in: all, kind: "FOLDER", flag: "report-dir", key: "reportDir",
			fallback: cmp.Or(ownReportDirs[c], "conformance-report"), set: (*resolver).setReportDir,
			help: "where the reports go; " + DatePlace + " is the day and time of the start in UTC"},
		{name: nameMetricsFile, field: "MetricsFile", in: asking | Merge, kind: "FILE", flag: "metrics-file",
			key: "metricsFile", set: path(func(s *Settings) *string { return &s.MetricsFile }),
			help: "where metrics.prom goes too, readable by all, such as the folder of node exporter's textfile " +
				"collector"},
		{name: nameConfig, in: asking, kind: "FILE", flag: "config", env: "AUTHN_CONFIG", set: alreadyRead,
			help: "configuration file (YAML) of all these settings"},
		{name: nameConcurrency, field: "Concurrency", in: Sweep, kind: kindNumber, flag: ConcurrencyFlag,
			key: "concurrency", fallback: "8",
			set: (*resolver).setConcurrency, help: "requests of a sweep in flight, 1 to 256"},
		{name: "rate", field: "Rate", in: asking, kind: kindNumber, flag: "rate", key: "rate", fallback: "0",
			set:  inSettings(rate, func(s *Settings) *float64 { return &s.Rate }),
			help: "requests per second; 0: unlimited"},
		{name: "timeout", field: "Timeout", in: asking, kind: kindDuration, flag: "timeout", key: "timeout",
			fallback: "10s",
			set:      inSettings(durationUpTo("10m"), func(s *Settings) *time.Duration { return &s.Timeout }),
			help:     "one request's deadline, up to 10m"},
		{name: "deadline", field: "Deadline", in: asking, kind: kindDuration, flag: "deadline", key: "deadline",
			fallback:  "10m",
			set:       inSettings(durationUpTo("24h"), func(s *Settings) *time.Duration { return &s.Deadline }),
			help:      "the run's deadline, up to 24h",
			sweepHelp: "the sweep's deadline, up to 24h, after which it can be resumed (default: none)"},
		{name: "parity", field: "Parity", in: asking, kind: kindMode, flag: "parity", key: "parity.mode",
			fallback: ParityValue, choices: []string{ParityValue, ParityShape},
			set:  inSettings(unchanged, func(s *Settings) *string { return &s.ParityMode }),
			help: "what " + versions + " must agree on: value or shape"},
		{name: "ignored places", field: "Ignore", in: asking, kind: kindRecords, key: "parity.ignore",
			set:  eachEntry((*resolver).addIgnore, memberPointer, memberReason, memberUntil+optional),
			help: "JSON Pointers that parity leaves out: pointer, reason, until (optional)"},
		{name: "divergence", field: "Divergence", in: running, kind: kindMode, flag: "divergence", key: "divergence",
			fallback: DivergenceReport, choices: []string{DivergenceReport, DivergenceFail},
			set:  inSettings(unchanged, func(s *Settings) *string { return &s.Divergence }),
			help: "what to do where " + versions + " differ at an open point: report or fail"},
		{name: "least users served", in: Sweep, kind: "SHARE", flag: "min-served", key: "minServed", fallback: "50%",
			set: inSettings(minServed, func(s *Settings) *string { return &s.MinServed }),
			help: "least share or number of users whom each operation must serve in each version, such " +
				"as 50% or 900, else the sweep is inconclusive"},
		{name: nameValues, field: "Values", in: asking | Judge, kind: kindMode, flag: "values", key: "values",
			fallback: ValuesShow, choices: []string{ValuesShow, ValuesHide},
			set:  inSettings(unchanged, func(s *Settings) *string { return &s.Values }),
			help: "what reports and evidence have of users' data: show, or hide behind types and lengths"},
		{name: "waivers", field: "Waivers", in: asking, kind: kindRecords, key: "waivers",
			set: eachEntry((*resolver).addWaivers, memberRequirement, memberVersion+optional, memberVerdict+optional,
				memberReason, memberUntil),
			help: "what the target's owner waives: requirement (an id, a pattern or a list), version (optional), " +
				"verdict (optional), reason, until (that day included, UTC)"},
		{name: "subject product", field: "SubjectProduct", in: asking, kind: "TEXT", key: "subject.product",
			set:  inSettings(shortLine, func(s *Settings) *string { return &s.Subject.Product }),
			help: "the product that is tested, for the certificate"},
		{name: "subject version", field: "SubjectVersion", in: asking, kind: "TEXT", flag: "subject-version",
			key: "subject.version", ofTarget: true,
			set:  inTarget(shortLine, func(t *Target) *string { return &t.Release.Version }),
			help: "the version of the tested product, for the certificate"},
		{name: "subject build", field: "SubjectBuild", in: asking, kind: "TEXT", flag: "subject-build",
			key: "subject.build", ofTarget: true,
			set:  inTarget(shortLine, func(t *Target) *string { return &t.Release.Build }),
			help: "the build of the tested product, for the certificate"},
		{name: "subject owner", field: "SubjectOwner", in: asking, kind: "TEXT", key: "subject.owner",
			set:  inSettings(shortLine, func(s *Settings) *string { return &s.Subject.Owner }),
			help: "who owns the tested product, for the certificate"},
		{name: "certificate validity", field: "ValidFor", in: asking, kind: kindDays, key: "subject.validFor",
			set:  inSettings(Days, func(s *Settings) *int { return &s.Subject.ValidFor }),
			help: "how long a certificate holds after its run, such as 90d, up to 3650d"},
		{name: nameBaseline, field: "Baseline", in: running | Judge, kind: "FILE", flag: "baseline", key: "baseline",
			set:  path(func(s *Settings) *string { return &s.Baseline }),
			help: "baseline to gate against, of --update-baseline, or report.json of an earlier run"},
		{name: "stale", field: "Stale", in: running | Judge, kind: kindMode, flag: "stale", key: "stale",
			fallback: StaleFail, choices: []string{StaleFail, StaleReport},
			set:  inSettings(unchanged, func(s *Settings) *string { return &s.Stale }),
			help: "what stale waivers and entries of the baseline do: fail, or report"},
		{name: "label filter", in: running, kind: "FILTER", flag: "label-filter",
			set:  inSettings(unchanged, func(s *Settings) *string { return &s.LabelFilter }),
			help: "Ginkgo label filter that narrows the run"},
		{name: "focus", in: running, kind: "REGEXP", flag: "focus",
			set:  inSettings(expression, func(s *Settings) *string { return &s.Focus }),
			help: "regular expression that narrows the run by the specs' texts"},
		{name: nameLastFailed, in: running | Sweep, kind: "FOLDER", flag: LastFailedFlag,
			set: path(func(s *Settings) *string { return &s.LastFailed }),
			help: "report folder of an earlier run: run only what failed in it, waived and known failures too, " +
				"for the users of these; certifies nothing",
			sweepHelp: "report folder of an earlier sweep, or its differences.csv: sweep only its users who differ, " +
				"break the contract or could not be compared"},
		{name: "record file", in: Sweep, kind: "FILE", flag: RecordFlag,
			set: path(func(s *Settings) *string { return &s.Record }),
			help: "record what one version answers (--versions), to be compared with another by --recorded when the " +
				"first is gone; with --shard, a folder"},
		{name: nameRecord, in: asking, kind: "VERSION=PATH", flag: RecordedFlag,
			help: "read a version from its record instead of asking it, such as v5=FILE: what sweep --record wrote " +
				"or, for a run, the report folder of an earlier run"},
	}
}
