package cli

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"croupier/cluster"
)

// eachCommand calls look for every command.
func eachCommand(look func(cmd *cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		look(cmd)
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRootCommand(installed))
}

// eachFlag calls look for every flag of every command.
func eachFlag(look func(cmd *cobra.Command, f *pflag.Flag)) {
	eachCommand(func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { look(cmd, f) })
	})
}

// eachFile calls look for every flag that names a file or directory, with check, which checks a call with this value.
func eachFile(look func(name string, use fileUse, check func(value string, more ...string) error)) {
	eachFlag(func(cmd *cobra.Command, f *pflag.Flag) {
		use := useOf(cmd, f)
		if use == noFile {
			return
		}
		path := strings.Fields(cmd.CommandPath())[1:]
		look(strings.Join(path, " ")+" --"+f.Name, use, func(value string, more ...string) error {
			fresh, _, err := newRootCommand(installed).Find(path)
			if err == nil {
				err = fresh.ParseFlags(append([]string{"--" + f.Name + "=" + value}, more...))
			}
			if err != nil {
				return err
			}
			return checkFiles(fresh, nil)
		})
	})
}

// No flag is left out whose help says that it names a file or a directory, and none is listed that is not there.
func TestAllFlagsThatNameFilesAreListed(t *testing.T) {
	file := regexp.MustCompile(`(?i)\b(files?|directory|folder|path|written to)\b`)
	unused := map[string]bool{}
	for name := range fileFlags {
		unused[name] = true
	}
	eachFlag(func(cmd *cobra.Command, f *pflag.Flag) {
		_, path, _ := strings.Cut(cmd.CommandPath(), " ")
		delete(unused, f.Name)
		delete(unused, path+" "+f.Name)
		if !strings.HasPrefix(f.Value.Type(), "string") || f.Name == "policy" || f.Name == "format" || path == "train" && f.Name == "from" {
			return // names of agents and networks may have a file in them, and there are formats of files
		}
		if file.MatchString(f.Usage) {
			require.NotEmpty(t, useOf(cmd, f), "%s --%s: %s", path, f.Name, f.Usage)
		}
	})
	require.Empty(t, unused)
}

// namesInReference returns what docs/reference/files.md says under "Files that commands read and write" by which a file
// is named.
func namesInReference(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("../docs/reference/files.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## Files that commands read and write\n")
	require.True(t, found)
	names := map[string]bool{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		// Formats of one flag are next to what is written.
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1]+cells[2], -1) {
			if strings.Contains(m[1], "--trace") || strings.HasPrefix(m[1], "file:") || strings.HasPrefix(m[1], "croupier ") {
				continue
			}
			require.False(t, names[m[1]], "docs/reference/files.md has %s twice", m[1])
			names[m[1]] = true
		}
	}
	return names
}

// TestFilesOfCommandsAreInReference: docs/reference/files.md has every flag, argument and format of a file, and no
// other. A flag that means another file in each command, or is a game's, has its command before it.
func TestFilesOfCommandsAreInReference(t *testing.T) {
	names := namesInReference(t)
	left := maps.Clone(names)
	has := func(name string) {
		require.True(t, names[name], "docs/reference/files.md lacks %s", name)
		delete(left, name)
	}
	eachFlag(func(cmd *cobra.Command, f *pflag.Flag) {
		switch use := useOf(cmd, f); {
		case use == noFile:
		case f.Name == "out" || len(f.Annotations[fileUseKey]) > 0:
			has(pathOf(cmd) + " --" + f.Name)
		default:
			has("--" + f.Name)
		}
	})
	eachCommand(func(cmd *cobra.Command) {
		arguments, _, _ := strings.Cut(cmd.Use, " --")
		for _, kind := range namesFile.FindAllString(arguments, -1) {
			has(pathOf(cmd) + " " + kind)
		}
	})
	for _, format := range cluster.Formats {
		has("export --format " + string(format))
	}
	require.Empty(t, left, "docs/reference/files.md has what no command has")
}

// A dash is standard output or input, or it is refused before anything is done. It is never a file.
func TestADashIsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	eachFile(func(name string, use fileUse, check func(string, ...string) error) {
		for _, value := range []string{"-", "pig=-"} {
			if value != "-" && !strings.HasSuffix(name, "--network") {
				continue
			}
			err := check(value)
			if use == readsStream || use == writesStream {
				require.NoError(t, err, name)
				continue
			}
			var wrong *usageError
			require.ErrorAs(t, err, &wrong, name)
			require.ErrorContains(t, err, "-: ", name)
		}
	})
	for _, line := range []string{
		"arena hold(20) random --game pig --csv -", "arena hold(20) random --game pig --out -", "solve pig --out -",
		"sweep -", "archive dataset - --out x",
		"bench --only engine --cpu-profile -", "sweep show x --svg -",
	} {
		require.Contains(t, refused(t, 2, strings.Fields(line)...), "-: ", line)
	}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, entries)
}

// Every flag for a file refuses, before the work, a file that is there, a directory, and what cannot be made. Devices
// and links are no such thing, and neither is an empty file.
func TestOutputsAreCheckedFirst(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folder where nobody can write is that of Linux")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("there"), []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(at("empty"), nil, 0o600))
	require.NoError(t, os.Mkdir(at("full"), 0o700))
	require.NoError(t, os.WriteFile(at("full/file"), nil, 0o600))
	for link, to := range map[string]string{"link": "there", "dangling": "new", "null": os.DevNull, "astray": "no/file"} {
		require.NoError(t, os.Symlink(to, at(link)))
	}
	count := 0
	eachFile(func(name string, use fileUse, check func(string, ...string) error) {
		if use == keepsFolder {
			require.ErrorContains(t, check(at("there")), "there is not a directory", name)
			require.ErrorContains(t, check(at("there/new")), "not a directory", name)
			require.NoError(t, check(at("new/folder")), name)
			require.ErrorContains(t, check("/proc/new/folder"), "no file can be made in /proc", name)
		}
		if !use.writes() {
			return
		}
		count++
		require.ErrorContains(t, check(""), "it is empty; name a file", name)
		if use == writesFolder {
			require.ErrorContains(t, check(at("full")), "add --force", name)
			require.NoError(t, check(at("full"), "--force"), name)
			require.NoError(t, check(at("new")), name)
			require.ErrorContains(t, check(at("there"), "--force"), "there", name)
			return
		}
		for _, path := range []string{"there", "link"} {
			require.ErrorContains(t, check(at(path)), path+": it exists already: add --force", name)
			require.NoError(t, check(at(path), "--force"), name)
		}
		for _, path := range []string{at("new"), at("empty"), at("dangling"), at("null"), os.DevNull} {
			require.NoError(t, check(path), name)
		}
		for path, problem := range map[string]string{
			at("no/file"): "no: no such file or directory", at("astray"): "no: no such file or directory", dir: "a directory",
			at("there/file"): "not a directory", dir + "/": "it is not the name of a file",
		} {
			require.ErrorContains(t, check(path, "--force"), problem, name)
		}
	})
	require.Greater(t, count, 15)
	require.ErrorContains(t, checkWritable("/proc"), "no file can be made in /proc: ")
	require.Contains(t, refused(t, 2, "arena", "hold(20)", "random", "--game", "pig", "--csv", at("new"), "--svg",
		at("dangling")),
		"it is also the file of --")
}

// A file is written through a link, and replaced only with --force.
func TestOutputsGoThroughLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink("real.csv", "link.csv"))
	call := []string{"arena", "hold(20)", "random", "--game", "pig", "--games", "10", "--csv", "link.csv"}
	succeed(t, "", call...)
	first, err := os.ReadFile("real.csv")
	require.NoError(t, err)
	require.Contains(t, string(first), "hold(20)")
	require.Contains(t, refused(t, 2, call...), "--csv link.csv: it exists already")
	require.NoError(t, os.Chmod("real.csv", 0o640))
	succeed(t, "", append(call, "--force", "--games", "12")...)
	second, err := os.ReadFile("real.csv")
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	to, err := os.Readlink("link.csv")
	require.NoError(t, err)
	require.Equal(t, "real.csv", to)
	info, err := os.Stat("real.csv")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
}

// Standard output by its name as a file has what is written there, in order and after what was there, also where it is
// a file.
func TestStandardOutputByName(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("its name is that of Linux")
	}
	program, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.WriteFile(path, []byte("before\n"), 0o600))
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	defer out.Close()
	cmd := exec.Command(program, "solve", "pig", "--set", "rules.target=10", "--json", "--out", "/dev/stdout")
	cmd.Stdout = out
	require.NoError(t, cmd.Run())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, `(?s)^before\nown,.*\n\{`, string(text))
	cmd = exec.Command(program, "export", "--agent", "trained", "--game", "pig", "--out", "/dev/stdout")
	var said strings.Builder
	cmd.Stderr = &said
	weights, err := cmd.Output()
	require.NoError(t, err)
	require.Contains(t, said.String(), "trained written to /dev/stdout")
	status, dashed, note := croupier("", "export", "--agent", "trained", "--game", "pig", "--out", "-")
	require.Zero(t, status)
	require.Contains(t, note, "trained written to standard output (")
	require.Equal(t, dashed, string(weights))
	length := int(weights[0]) | int(weights[1])<<8 | int(weights[2])<<16
	require.True(t, json.Valid(weights[8:8+length]), "it begins as a safetensors file does")
}
