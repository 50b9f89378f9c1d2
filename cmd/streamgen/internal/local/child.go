package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// child is the program as a process of its own.
type child struct {
	cmd     *exec.Cmd
	done    chan struct{} // closed when it has ended
	err     error         // of the process, after done
	log     io.Writer
	verbose bool
}

// start starts the program. Its log goes to log: all of it if verbose, else warnings and errors.
func start(binary string, args []string, log io.Writer, verbose bool) (*child, error) {
	c := &child{cmd: exec.Command(binary, args...), done: make(chan struct{}), log: log, verbose: verbose}
	ownGroup(c.cmd)
	stderr, err := c.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	c.cmd.Stdout = log
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the child is told when this thread ends
		defer runtime.UnlockOSThread()
		if err := c.cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		c.read(stderr)
		c.err = c.cmd.Wait()
		close(c.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", binary, err)
	}
	return c, nil
}

// read passes the log on.
func (c *child) read(log io.Reader) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if level := field(line, "level"); c.verbose || level != "INFO" && level != "DEBUG" {
			fmt.Fprintln(c.log, line)
		}
	}
	_, _ = io.Copy(io.Discard, log) // after a line too long to scan
}

// field finds name=value in a line of slog's text form. Values with spaces are quoted there; a level has none.
func field(line, name string) string {
	for f := range strings.FieldsSeq(line) {
		if v, ok := strings.CutPrefix(f, name+"="); ok {
			return v
		}
	}
	return ""
}

// stop asks the program to end in order and waits for it. Once ctx is done it is killed.
func (c *child) stop(ctx context.Context) error {
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		_ = c.cmd.Process.Kill() // where there is no such signal
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		_ = c.cmd.Process.Kill()
		<-c.done
	}
	return c.failure()
}

func (c *child) hasEnded() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// failure is that the program did not end in order, or nil. Why, it has written to its log.
func (c *child) failure() error {
	if c.err == nil {
		return nil
	}
	return fmt.Errorf("the program ended with %w", c.err)
}

// ready waits until the program processes records. address is where it serves health.
func (c *child) ready(ctx context.Context, address string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if get(ctx, "http://"+address+"/readyz", io.Discard) == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-c.done:
			return c.ended()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ended is the error of a program that ended although nobody asked it to.
func (c *child) ended() error {
	if err := c.failure(); err != nil {
		return err
	}
	return errors.New("the program ended before its input did")
}

func get(ctx context.Context, url string, to io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, res.Status)
	}
	_, err = io.Copy(to, res.Body)
	return err
}
