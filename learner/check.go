package learner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"slices"

	"croupier/internal/check"
	"croupier/internal/rundir"
	"croupier/internal/sealed"
	"croupier/internal/strict"
	"croupier/nn"
)

// Part is what the learners of a run keep: checkpoints and their manifests.
var Part = check.Part{
	Patterns: append(checkpointPatterns(""), checkpointPatterns(rundir.AgentsFolder+"/*")...),
	Check: func(c *check.Check) {
		folders := append([]string{""}, agentFolders(c)...)
		for _, folder := range folders {
			checkCheckpoints(c, path.Join(folder, checkpointFolder))
		}
	},
}

func checkpointPatterns(folder string) []string {
	return []string{path.Join(folder, checkpointFolder, manifestName),
		path.Join(folder, checkpointFolder, unlearntName),
		path.Join(folder, checkpointFolder, "*.safetensors")}
}

// agentFolders returns the folders of the agents other than the main one.
func agentFolders(c *check.Check) (folders []string) {
	for _, pattern := range checkpointPatterns(rundir.AgentsFolder + "/*") {
		for _, name := range c.Matching(pattern) {
			if folder := path.Dir(path.Dir(name)); !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	return folders
}

// checkCheckpoints reads the checkpoints of one agent, if there are any.
func checkCheckpoints(c *check.Check, folder string) {
	name := path.Join(folder, manifestName)
	files := c.Matching(path.Join(folder, "*.safetensors"))
	if len(files) == 0 && !c.Has(name) {
		return
	}
	var m manifest
	if doc, ok := c.ReadFile(name, maxManifest); ok {
		condition, err := sealed.OpenDocument(doc, &m)
		if err == nil {
			err = m.check()
		}
		c.Sealed(name, condition, err)
	}
	for _, e := range m.Checkpoints {
		file := path.Join(folder, e.File)
		files = slices.DeleteFunc(files, func(other string) bool { return other == file })
		checkCheckpoint(c, file, &e)
	}
	for _, file := range files {
		checkCheckpoint(c, file, nil)
	}
	checkUnlearnt(c, path.Join(folder, unlearntName))
}

// checkUnlearnt reads the games that an end in order has left, if there are any.
func checkUnlearnt(c *check.Check, name string) {
	if !c.Has(name) {
		return
	}
	if doc, ok := c.ReadFile(name, maxUnlearnt); ok {
		condition, err := sealed.OpenDocument(doc, &unlearnt{})
		c.Sealed(name, condition, err)
	}
}

// checkCheckpoint reads a checkpoint, and compares it with what the manifest says of it, if it lists it.
func checkCheckpoint(c *check.Check, file string, listed *manifestEntry) {
	data, ok := c.ReadFile(file, maxCheckpointBytes)
	if !ok {
		return
	}
	if sum := sha256.Sum256(data); listed != nil && hex.EncodeToString(sum[:]) != listed.SHA256 {
		c.Fault(file, "", "its SHA-256 is not that of the manifest")
		return
	}
	metadata, _, err := nn.DecodeTensors(data)
	var progress counters
	if err == nil {
		err = strict.Unmarshal([]byte(metadata[progressKey]), &progress)
	}
	if err == nil && listed != nil && progress != listed.counters {
		err = errors.New("the manifest says something else of how far it is trained")
	}
	if err != nil {
		c.Fault(file, "", err)
	}
}
