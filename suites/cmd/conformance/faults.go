package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/settings/input"
)

// printFaults prints each of the joined errors after "error: ". Further lines of an error are indented.
func (a *app) printFaults(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && errors.Join(joined.Unwrap()...).Error() == err.Error() {
		for _, one := range joined.Unwrap() {
			a.printFaults(one)
		}
		return
	}
	fmt.Fprintf(a.stderr, "error: %s\n", strings.ReplaceAll(a.text(err), "\n", "\n  "))
}

// noArguments returns an error if a command without arguments gets any. For the root command the arguments are names of
// unknown commands.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasParent():
		return fmt.Errorf("%s takes flags only, got %q: see %s --help", cmd.Name(), args[0], cmd.CommandPath())
	}
	var names []string
	for _, command := range cmd.Commands() {
		if command.IsAvailableCommand() {
			names = append(names, command.Name())
		}
	}
	return fmt.Errorf("there is no command %q: the commands are %s%s", args[0], strings.Join(names, ", "),
		input.Suggest(args[0], names))
}

// flagFault returns pflag's error in plain words, with what to do.
func flagFault(cmd *cobra.Command, err error) error {
	advice := ": see " + cmd.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var syntaxError *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		all := unknown.GetSpecifiedShortnames()
		if name, _, _ := strings.Cut(all, "="); cmd.Flags().Lookup(name) != nil {
			return fmt.Errorf("-%s: a flag begins with two dashes: write --%s", name, name)
		}
		return fmt.Errorf("there is no flag -%s%s", unknown.GetSpecifiedName(), advice)
	case errors.As(err, &unknown) && unknown.GetSpecifiedName() == settings.ConcurrencyFlag:
		return fmt.Errorf("--%s: %s: leave it out (it is a setting of sweep)", settings.ConcurrencyFlag,
			settings.OneAtATime)
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		name := "--" + unknown.GetSpecifiedName()
		return fmt.Errorf("there is no flag %s%s%s", name, advice, input.Suggest(name, names))
	case errors.As(err, &missing):
		flag := missing.GetFlag()
		placeholder, _ := pflag.UnquoteUsage(flag)
		return fmt.Errorf("--%s needs a value: give it as --%s %s", flag.Name, flag.Name, strings.ToUpper(placeholder))
	case errors.As(err, &wrong):
		expected := "a whole number"
		if wrong.GetFlag().Value.Type() == "bool" {
			expected = "true or false"
		}
		return fmt.Errorf("--%s: expected %s, got %q", wrong.GetFlag().Name, expected, wrong.GetValue())
	case errors.As(err, &syntaxError):
		return fmt.Errorf("%q is no flag, expected --NAME or --NAME=VALUE%s", syntaxError.GetSpecifiedFlag(), advice)
	}
	return err
}
