// Package syntax reads the files of a spec into a tree: what is written and where, without meaning. It also formats them.
//
// It is the first stage of the compiler (files → tree → model → plan → Go) and the only package that knows HCL. The tree is our
// own: numbers keep their source bytes, strings are not normalised, attributes are in source order. What HCL could say but the
// language does not have is refused here.
package syntax
