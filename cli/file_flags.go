package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"croupier/internal/durable"
)

// fileUse is what a command does with the file or directory that a flag names.
type fileUse string

const (
	noFile       fileUse = ""
	readsFile    fileUse = "reads"
	readsStream  fileUse = "reads-stream" // a file, or standard input as "-"
	readsFolder  fileUse = "reads-folder"
	keepsFile    fileUse = "keeps"         // reads a file of its own and writes it again
	keepsFolder  fileUse = "keeps-folder"  // continues in a directory of its own, or makes it
	writesFile   fileUse = "writes"        // where standard output is for something else
	writesStream fileUse = "writes-stream" // a file, or standard output as "-"
	writesFolder fileUse = "writes-folder" // files in a directory
)

// writes reports whether --force is about it.
func (u fileUse) writes() bool { return u == writesFile || u == writesStream || u == writesFolder }

// fileFlags reports which flags name files and directories: by the flag's name in any command, or by the command and
// the flag. Commands of games say it of their own flags.
var fileFlags = map[string]fileUse{
	"agents":                readsFile,
	"cluster-ca":            readsFile,
	"cluster-cert":          readsFile,
	"cluster-key":           readsFile,
	"cluster-password-file": readsFile,
	"config":                readsFile,
	"continue":              readsFile,
	"cpu-profile":           writesFile,
	"credentials":           readsFile,
	"creds":                 readsFile,
	"csv":                   writesFile,
	"dir":                   keepsFolder,
	"folder":                keepsFolder,
	"https-cert":            readsFile,
	"https-key":             readsFile,
	"key":                   readsFile,
	"league":                readsFile,
	"leaf-ca":               readsFile,
	"leaf-key":              readsFile,
	"man":                   keepsFolder,
	"nats-tls-cert":         readsFile,
	"nats-tls-key":          readsFile,
	"network":               readsFile,
	"out":                   writesStream,
	"password-file":         readsFile,
	"position":              readsStream,
	"rules":                 readsFile,
	"run":                   readsFolder,
	"runs":                  readsFolder,
	"sessions":              keepsFile,
	"svg":                   writesFile,
	"tensorboard":           keepsFolder,
	"tls-ca":                readsFile,
	"tls-cert":              readsFile,
	"tls-key":               readsFile,
	"token-file":            keepsFile,
	"users":                 keepsFile,

	"arena out":         keepsFolder,
	"arena exploit out": keepsFolder,
	"runs restore run":  keepsFolder,
	"sweep out":         keepsFolder,
}

// namesFile finds the arguments that name files and directories in the first line of a command's help.
var namesFile = regexp.MustCompile(`\b(FILE|FOLDER|DIR|RUN)\b`)

// readers of standard input, which they name as the argument "-".
var readsArgument = map[string]bool{"replay": true, "review": true}

// useOf returns what a command does with the file that a flag names, noFile if the flag names none.
func useOf(cmd *cobra.Command, flag *pflag.Flag) fileUse {
	if !strings.HasPrefix(flag.Value.Type(), "string") { // as sweep show --csv and bench --runs
		return noFile
	}
	if noted := flag.Annotations[fileUseKey]; len(noted) > 0 {
		return fileUse(noted[0])
	}
	if use, ok := fileFlags[pathOf(cmd)+" "+flag.Name]; ok {
		return use
	}
	return fileFlags[flag.Name]
}

// addFileChecks makes all commands below cmd check the files that their flags name before they do anything, and gives
// those that write files --force.
func addFileChecks(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		addFileChecks(c)
		writes := false
		c.Flags().VisitAll(func(f *pflag.Flag) { writes = writes || useOf(c, f).writes() })
		if writes {
			c.Flags().Bool("force", false, "replace existing files")
		}
		if do := c.RunE; do != nil {
			c.RunE = action(func(cmd *cobra.Command, args []string) error {
				if err := checkFiles(cmd, args); err != nil {
					return err
				}
				return do(cmd, args)
			})
		}
	}
}

// checkFiles refuses what cannot be written, or not without --force, and "-" where it means nothing.
func checkFiles(cmd *cobra.Command, args []string) (err error) {
	for _, arg := range args {
		if arg == "-" && namesFile.MatchString(cmd.Use) && !readsArgument[cmd.Name()] {
			return usage("-: standard input is not read here; name what the command takes: %s", cmd.Use)
		}
	}
	force, _ := cmd.Flags().GetBool("force")
	written := map[string]string{} // flags by file
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if use := useOf(cmd, f); use != noFile && err == nil {
			err = checkFile(f, use, force, written)
		}
	})
	return err
}

// checkFile checks what a flag names.
func checkFile(f *pflag.Flag, use fileUse, force bool, written map[string]string) error {
	values := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values = list.GetSlice()
	}
	for _, path := range values {
		if err := checkDash(f, use, path); err != nil {
			return err
		}
		if use == keepsFolder {
			if err := checkRoom(path); err != nil {
				return fmt.Errorf("--%s %s: %w", f.Name, path, err)
			}
		}
		if !use.writes() || path == "-" {
			continue
		}
		if path == "" {
			return usage("--%s: it is empty; name a file", f.Name)
		}
		target, err := durable.Find(path)
		if use == writesFolder {
			err = checkFolder(path, force)
		} else if err == nil {
			err = checkTarget(target, force)
		}
		if err != nil {
			return fmt.Errorf("--%s %s: %w", f.Name, path, err)
		}
		if target == nil || target.Stream() {
			continue
		}
		if other, ok := written[target.Path]; ok {
			return usage("--%s %s: it is also the file of --%s", f.Name, path, other)
		}
		written[target.Path] = f.Name
	}
	return nil
}

// checkDash refuses "-" where neither standard input is read nor standard output written.
func checkDash(f *pflag.Flag, use fileUse, path string) error {
	if f.Value.Type() == "stringArray" { // GAME=FILE
		if _, file, ok := strings.Cut(path, "="); ok {
			path = file
		}
	}
	switch {
	case path != "-" || use == readsStream || use == writesStream:
		return nil
	case use == writesFile:
		return usage("--%s -: standard output is for the result; name a file", f.Name)
	case use == readsFile, use == keepsFile:
		return usage("--%s -: standard input is not read here; name a file", f.Name)
	}
	return usage("--%s -: name a directory", f.Name)
}

// checkTarget refuses a file that is there and not empty, except with force, and one that cannot be made.
func checkTarget(t *durable.Target, force bool) error {
	if t.Stream() {
		return nil
	}
	if err := t.Replaceable(); err != nil {
		return err
	}
	if t.Info != nil && t.Info.Size() > 0 && !force {
		return usage("it exists already: add --force to replace it, or name another file")
	}
	return checkWritable(filepath.Dir(t.Path))
}

// checkFolder refuses a directory that is there and not empty, except with force.
func checkFolder(path string, force bool) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it is made
	case err != nil:
		return err
	case len(entries) > 0 && !force:
		return usage("there are files already: add --force to replace those of the same names, or name another directory")
	}
	return checkWritable(path)
}

// checkRoom refuses a directory in which, or below which, no file can be made. Where it is not there, that is the
// nearest one above it, as for [os.MkdirAll].
func checkRoom(path string) error {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at):
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s is not a directory", at)
		default:
			return checkWritable(at)
		}
	}
}

// checkWritable makes a file in a directory, and removes it.
func checkWritable(folder string) error {
	probe, err := os.CreateTemp(folder, ".croupier.*.tmp")
	if problem, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("no file can be made in %s: %w", folder, problem.Err)
	}
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
