package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/schemas"
)

// Command is a command that reads settings. The constants are bits and can be combined.
type Command uint8

// The commands that have settings.
const (
	Run Command = 1 << iota
	Plan
	Sweep
	Judge
	Merge
)

// Groups of commands: those that send requests, those that run the suite, and those that write reports.
const (
	asking  = Run | Plan | Sweep
	running = Run | Plan
	all     = asking | Judge | Merge
)

// setting is one row of the table, with everything about one setting. A command reads the settings that have its bit in
// `in`.
type setting struct {
	name, flag, key string
	// env is the variable. If it is "", a setting with a flag and a key has that of the flag's name.
	env string
	// field is the field of the Go API's Config and, for one version, of its Target; "" if it has none.
	field string
	in    Command
	kind  kind
	// fallback is the default value of the command as text; "" means none.
	fallback string
	help     string
	// sweepHelp is the help for a sweep, if it differs. A setting with sweepHelp has no default in a sweep.
	sweepHelp string
	// set validates a value and stores it in the settings or the target of the row's resolver. It may set how the value
	// is shown.
	set func(*rawValue) error
	// ofTarget is true for the settings of a target. Each has a row for all versions and one for each version.
	ofTarget bool
	// version is the version of the API that the row is for; "" for all.
	version schemas.Version
	// replaces is the name of the setting that this one is another way to give; "" if there is none.
	replaces string
}

// The names of settings that the code refers to.
const (
	nameURL, nameApplicationID                        = "target URL", "application id"
	nameToken, nameTokenFile                          = "access token", "access token file"
	nameTLS, nameProxy                                = "TLS", "proxy"
	nameClientCert, nameClientKey                     = "client certificate", "client key"
	nameUsers, nameVersions, nameValues, nameBaseline = "users", "versions", "values", "baseline"
	nameReportDir, nameMetricsFile                    = "report folder", "metrics file"
	nameConfig, nameLastFailed                        = "configuration file", "what failed last"
	nameConcurrency                                   = "concurrency"
)

// ConcurrencyFlag is a flag of a sweep. OneAtATime is the reason why a run has none.
const (
	ConcurrencyFlag = "concurrency"
	OneAtATime      = "a run asks one request at a time"
)

// LastFailedFlag names a report folder. It is read before the reports in the folder of this run replace it.
const LastFailedFlag = "last-failed"

// table returns all settings, with the defaults of a command, in the order of the README, for callers that set none.
func table(c Command) []setting {
	return newResolver(&Input{command: c}, &Settings{}, nil, time.Time{}).rows
}

// table returns all settings, in the order of the README. To add a setting, add a row here and a field in Settings or
// Target; for the Go API, add one in its Config. If it changes verdicts, add it to Rules.
func (r *resolver) table() []setting {
	s, t, versions := r.settings, r.target, schemas.Named(schemas.Versions())
	defaultVersions := schemas.Versions()
	if r.in.command == Sweep { // it compares one pair, the newest
		pair := schemas.Pairs()[len(schemas.Pairs())-1]
		defaultVersions = []schemas.Version{pair.From, pair.To}
	}
	rows := []setting{
		{name: nameURL, field: "TargetURL", in: asking, kind: "URL", flag: "target-url", key: "target.url",
			ofTarget: true, set: store(&t.URL, baseURL),
			help: "base URL of the target, path prefix allowed; without any, the embedded reference is the target"},
		{name: nameToken, field: "AccessToken", in: asking, kind: "TOKEN", env: "AUTHN_ACCESS_TOKEN",
			ofTarget: true, set: r.setToken, help: "the administrator's token"},
		{name: nameTokenFile, replaces: nameToken, in: asking, kind: "FILE", flag: "access-token-file",
			key: "target.accessTokenFile", ofTarget: true, set: r.setTokenFile,
			help: "file that holds the administrator's token"},
		{name: nameApplicationID, field: "ApplicationID", in: asking, kind: "ID", flag: "application-id",
			key: "target.applicationId", ofTarget: true, set: store(&t.ApplicationID, applicationID),
			help: "identifier of the calling module"},
		{name: nameTLS, field: "TLS", in: asking, ofTarget: true, set: r.setTLS},
		{name: "private CA", in: asking, kind: "FILE", flag: "ca", key: "target.ca", ofTarget: true, set: r.setCA,
			help: "certificates (PEM) of a private CA, trusted beside the system's"},
		{name: nameClientCert, in: asking, kind: "FILE", flag: "client-cert", key: "target.clientCert",
			ofTarget: true, set: r.setClientCert, help: "client certificate (PEM) for the target"},
		{name: nameClientKey, in: asking, kind: "FILE", flag: "client-key", key: "target.clientKey",
			ofTarget: true, set: r.setClientKey, help: "key (PEM) of the client certificate"},
		{name: "headers", field: "Header", in: asking, kind: kindHeaders, key: "target.headers",
			ofTarget: true, set: r.setHeaders, help: "headers to send with every request, name: value, {env: NAME} " +
				"or {file: PATH}; values count as secrets"},
		{name: nameProxy, field: "Proxy", in: asking, kind: "URL", flag: "proxy", key: "target.proxy",
			ofTarget: true, set: r.setProxy,
			help: "proxy to the target, " + noProxy + " for none; otherwise that of HTTPS_PROXY, HTTP_PROXY and " +
				"NO_PROXY"},
		{name: nameUsers, in: asking, kind: "FILE", flag: "users", key: "users", set: r.setUsers,
			help:      "users to look up: YAML, JSON, NDJSON or CSV of id,userId, also .gz",
			sweepHelp: "users to sweep: NDJSON or CSV of id,userId, also .gz; " + StandardInput + " is standard input"},
		{name: nameVersions, field: "Versions", in: asking, kind: kindList, flag: "versions", key: "versions",
			fallback: joined(defaultVersions, listSeparator), set: r.setVersions, help: "versions under test"},
		{name: nameReportDir, field: "ReportDir", in: all, kind: "FOLDER", flag: "report-dir", key: "reportDir",
			fallback: cmp.Or(ownReportDirs[r.in.command], "conformance-report"), set: r.setReportDir,
			help: "where the reports go; " + datePlace + " is the day and time of the start in UTC"},
		{name: nameMetricsFile, field: "MetricsFile", in: asking | Merge, kind: "FILE", flag: "metrics-file",
			key: "metricsFile", set: storePath(&s.MetricsFile),
			help: "where metrics.prom goes too, readable by all, such as the folder of node exporter's textfile " +
				"collector"},
		{name: nameConfig, in: asking, kind: "FILE", flag: "config", env: "AUTHN_CONFIG", set: alreadyRead,
			help: "configuration file (YAML) of all these settings"},
		{name: nameConcurrency, field: "Concurrency", in: Sweep, kind: kindNumber, flag: ConcurrencyFlag,
			key: "concurrency", fallback: "8", set: r.setConcurrency, help: "requests of a sweep in flight, 1 to 256"},
		{name: "rate", field: "Rate", in: asking, kind: kindNumber, flag: "rate", key: "rate", fallback: "0",
			set: store(&s.Rate, rate), help: "requests per second; 0: unlimited"},
		{name: "timeout", field: "Timeout", in: asking, kind: kindDuration, flag: "timeout", key: "timeout",
			fallback: "10s", set: store(&s.Timeout, durationUpTo("10m")), help: "one request's deadline, up to 10m"},
		{name: "deadline", field: "Deadline", in: asking, kind: kindDuration, flag: "deadline", key: "deadline",
			fallback: "10m", set: store(&s.Deadline, durationUpTo("24h")), help: "the run's deadline, up to 24h",
			sweepHelp: "the sweep's deadline, up to 24h, after which it can be resumed (default: none)"},
		{name: "parity", field: "Parity", in: asking, kind: "MODE", flag: "parity", key: "parity.mode",
			fallback: ParityValue, set: store(&s.ParityMode, oneOf(ParityValue, ParityShape)),
			help: "what " + versions + " must agree on: value or shape"},
		{name: "ignored places", field: "Ignore", in: asking, kind: kindRecords, key: "parity.ignore",
			set:  eachEntry(r.addIgnore, memberPointer, memberReason, memberUntil+optional),
			help: "JSON Pointers that parity leaves out: pointer, reason, until (optional)"},
		{name: "divergence", field: "Divergence", in: running, kind: "MODE", flag: "divergence", key: "divergence",
			fallback: DivergenceReport, set: store(&s.Divergence, oneOf(DivergenceReport, DivergenceFail)),
			help: "what to do where " + versions + " differ at an open point: report or fail"},
		{name: "least users served", in: Sweep, kind: "SHARE", flag: "min-served", key: "minServed", fallback: "50%",
			set: store(&s.MinServed, minServed), help: "least share or number of users whom each operation must " +
				"serve in each version, such as 50% or 900, else the sweep is inconclusive"},
		{name: nameValues, field: "Values", in: asking | Judge, kind: "MODE", flag: "values", key: "values",
			fallback: ValuesShow, set: store(&s.Values, oneOf(ValuesShow, ValuesHide)),
			help: "what reports and evidence have of users' data: show, or hide behind types and lengths"},
		{name: "waivers", field: "Waivers", in: asking, kind: kindRecords, key: "waivers",
			set: eachEntry(r.addWaivers, memberRequirement, memberVersion+optional, memberVerdict+optional,
				memberReason, memberUntil),
			help: "what the target's owner waives: requirement (an id, a pattern or a list), version (optional), " +
				"verdict (optional), reason, until (that day included, UTC)"},
		{name: "subject product", field: "SubjectProduct", in: asking, kind: "TEXT", key: "subject.product",
			set: store(&s.Subject.Product, shortLine), help: "the product that is tested, for the certificate"},
		{name: "subject version", field: "SubjectVersion", in: asking, kind: "TEXT", flag: "subject-version",
			key: "subject.version", ofTarget: true, set: store(&t.Release.Version, shortLine),
			help: "the version of the tested product, for the certificate"},
		{name: "subject build", field: "SubjectBuild", in: asking, kind: "TEXT", flag: "subject-build",
			key: "subject.build", ofTarget: true, set: store(&t.Release.Build, shortLine),
			help: "the build of the tested product, for the certificate"},
		{name: "subject owner", field: "SubjectOwner", in: asking, kind: "TEXT", key: "subject.owner",
			set: store(&s.Subject.Owner, shortLine), help: "who owns the tested product, for the certificate"},
		{name: "certificate validity", field: "ValidFor", in: asking, kind: kindDays, key: "subject.validFor",
			set:  store(&s.Subject.ValidFor, Days),
			help: "how long a certificate holds after its run, such as 90d, up to 3650d"},
		{name: nameBaseline, field: "Baseline", in: running | Judge, kind: "FILE", flag: "baseline", key: "baseline",
			set:  storePath(&s.Baseline),
			help: "baseline to gate against, of --update-baseline, or report.json of an earlier run"},
		{name: "stale", field: "Stale", in: running | Judge, kind: "MODE", flag: "stale", key: "stale",
			fallback: StaleFail, set: store(&s.Stale, oneOf(StaleFail, StaleReport)),
			help: "what stale waivers and entries of the baseline do: fail, or report"},
		{name: "label filter", in: running, kind: "FILTER", flag: "label-filter", set: store(&s.LabelFilter, unchanged),
			help: "Ginkgo label filter that narrows the run"},
		{name: "focus", in: running, kind: "REGEXP", flag: "focus", set: store(&s.Focus, expression),
			help: "regular expression that narrows the run by the specs' texts"},
		{name: nameLastFailed, in: running | Sweep, kind: "FOLDER", flag: LastFailedFlag, set: storePath(&s.LastFailed),
			help: "report folder of an earlier run: run only what failed in it, waived and known failures too, " +
				"for the users of these; certifies nothing",
			sweepHelp: "report folder of an earlier sweep, or its differences.csv: sweep only its users who differ, " +
				"break the contract or could not be compared"},
		{name: "record file", in: Sweep, kind: "FILE", flag: RecordFlag, set: storePath(&s.Record),
			help: "record what one version answers (--versions), to be compared with another by --recorded when the " +
				"first is gone; with --shard, a folder"},
		{name: nameRecord, in: asking, kind: "VERSION=PATH", flag: RecordedFlag,
			help: "read a version from its record instead of asking it, such as v5=FILE: what sweep --record wrote " +
				"or, for a run, the report folder of an earlier run"},
	}
	for i, s := range rows {
		if r.in.command == Sweep && s.sweepHelp != "" {
			rows[i].help, rows[i].fallback = s.sweepHelp, ""
		}
		if s.env == "" && s.flag != "" && s.key != "" {
			rows[i].env = variablePrefix + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
		}
	}
	var all []setting
	for _, s := range rows {
		if all = append(all, s); s.ofTarget {
			for _, v := range schemas.Versions() {
				all = append(all, s.of(v))
			}
		}
	}
	for _, v := range schemas.Versions() { // the flag is one for all versions
		all = append(all, setting{name: nameRecorded(v), version: v, field: "Recorded", in: asking,
			kind: "PATH", key: "target." + string(v) + ".recorded", set: alreadyRead})
	}
	return all
}

// of returns the row of a setting of the target for one version.
func (s setting) of(v schemas.Version) setting {
	s.version, s.name, s.replaces = v, s.name+" of "+string(v), s.base()
	s.flag, s.env, s.key = ForVersion(s.flag, v), ForVersion(s.env, v), ForVersion(s.key, v)
	s.help += ", for " + string(v)
	return s
}

// base returns the name of the setting for all versions, in the first of its forms.
func (s setting) base() string { return cmp.Or(s.replaces, s.name) }

// ForVersion returns the name that a setting of the target has if it is given for one version. It takes a flag, a
// variable of the environment, a member of the file, or a field of Config.
func ForVersion(name string, v schemas.Version) string {
	group, member, isMember := strings.Cut(name, ".")
	switch {
	case name == "" || v == "":
		return name
	case group == "Config":
		return fmt.Sprintf("Config.Targets[%q].%s", v, strings.TrimPrefix(member, "Target"))
	case isMember:
		return group + "." + string(v) + "." + member
	case strings.HasPrefix(name, variablePrefix):
		return name + "_" + strings.ToUpper(string(v))
	}
	return name + "-" + string(v)
}

// row returns the setting with one of the names above, with the default of a command.
func row(c Command, name string) setting {
	rows := table(c)
	return rows[slices.IndexFunc(rows, func(s setting) bool { return s.name == name })]
}

// ownReportDirs are the default report folders of the commands but run: none replaces the files of another.
var ownReportDirs = map[Command]string{Sweep: "conformance-sweep", Judge: "conformance-judged",
	Merge: "conformance-merged"}

// alternatives returns every way to give a setting for a version, or for all, for the error that it is missing.
func (r *resolver) alternatives(v schemas.Version, name string) string {
	var flags, variables, keys []string
	for _, s := range r.rows {
		if s.base() != name || s.version != v {
			continue
		}
		if r.settings.Program {
			return ForVersion("Config."+s.field, v)
		}
		if s.flag != "" {
			flags = append(flags, "--"+s.flag)
		}
		if s.env != "" {
			variables = append(variables, s.env)
		}
		if s.key != "" {
			keys = append(keys, s.key)
		}
	}
	return strings.Join(append(flags, variables...), ", ") + " or " + strings.Join(keys, ", ") +
		" in the configuration file"
}
