package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// lookEvery is the time between two looks at the file with the public keys.
const lookEvery = time.Second

// Reload reads the file with the public keys again. Clients whose key is no longer there are cut
// off at once; all others notice nothing. A file that cannot be read changes nothing ([Broker.Unread]).
func (b *Broker) Reload() error {
	b.reloading.Lock()
	defer b.reloading.Unlock()
	return b.noteRead(b.reload(true))
}

// reload reads the file, and applies it if it differs from what was last read or always is set.
func (b *Broker) reload(always bool) error {
	doc, err := ReadPublic(b.opts.Credentials)
	if err != nil {
		return err
	}
	if !always && bytes.Equal(doc, b.doc) {
		return nil
	}
	if err := b.apply(doc); err != nil {
		return err
	}
	b.doc = doc
	return nil
}

// apply has the keys of the file count.
func (b *Broker) apply(doc []byte) error {
	opts, keys, err := b.opts.server(b.server.GlobalAccount())
	if err != nil {
		return fmt.Errorf("broker: %w", err)
	}
	b.refusals.know(keys)
	if err := b.server.ReloadOptions(opts); err != nil {
		return fmt.Errorf("broker: %w", err)
	}
	// The server connects the imports of an account only when it meets it for the second time.
	if opts, _, err = b.opts.server(b.server.GlobalAccount()); err == nil {
		err = b.server.ReloadOptions(opts)
	}
	if err != nil {
		return fmt.Errorf("broker: %w", err)
	}
	if b.space != nil {
		b.enter(b.space.Level(), b.opts.Log) // reloading has set the limits back
	}
	b.cutLeaves(keys)
	b.opts.Log.Info("credentials read", "file", b.opts.Credentials, "keys", len(keys.Keys))
	return nil
}

// cutLeaves ends the links of leaves of which a key counts no more: the server cuts off clients only. A leaf
// that has another key comes back.
func (b *Broker) cutLeaves(now *Keys) {
	count := now.leaves()
	links, err := b.server.Leafz(nil)
	if err != nil {
		b.opts.Log.Error("links of leaves are unknown", "error", err)
		return
	}
	for public, account := range b.leaves {
		for _, link := range links.Leafs {
			if _, ok := count[public]; !ok && link.Account == account {
				_ = b.server.DisconnectClientByID(link.ID) // an error: it has gone by itself
			}
		}
	}
	b.leaves = count
}

// leaves returns the accounts of leaves by their public keys.
func (k *Keys) leaves() map[string]string {
	accounts := map[string]string{}
	for _, key := range k.Keys {
		for _, public := range []string{key.Public, key.Previous} {
			if key.Role == LeafRole && public != "" {
				accounts[public] = k.account(key)
			}
		}
	}
	return accounts
}

// follow reads the file whenever it changes, until ctx ends. One that cannot be read is tried again each second, and
// reported once.
func (b *Broker) follow(ctx context.Context) {
	reported := ""
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		b.reloading.Lock()
		err := b.noteRead(b.reload(false))
		b.reloading.Unlock()
		switch {
		case err == nil:
			reported = ""
		case err.Error() != reported:
			reported = err.Error()
			b.opts.Log.Error("credentials not read; the previous keys stay valid", "error", errors.Unwrap(err))
		}
	}
}
