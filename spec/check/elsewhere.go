package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// Words of other languages that people who are new here write, and what the word for it is. They are looked at where no name is
// near enough to have been misspelled.

// elsewhereBlocks are top-level blocks of Terraform and others.
var elsewhereBlocks = map[string]string{
	"terraform": "remove it: the version of the tool is that of the Go module",
	"provider":  "remove it: addresses and credentials are flags and environment of the program",
	"backend":   "remove it: state lies in stores and their changelogs",
	"module":    "remove it: all *.hcl files of a directory are one program",
	"data":      "what is read from a topic is a `stream` or a `table` with \"topic\"",
	"source":    "what is read from a topic is a `stream` or a `table` with \"topic\"",
	"topic":     "what is read from a topic is a `stream` or a `table` with \"topic\"; what is written, a `sink`",
	"record":    "the fields of records are declared by `type \"Name\" { … }`",
	"struct":    "the fields of records are declared by `type \"Name\" { … }`",
	"schema":    "the fields of records are declared by `type \"Name\" { … }`",
	"join":      "a join is a step: it stands in the stream that it makes richer",
	"filter":    "a filter is a step: it stands in a stream or a table",
	"merge":     "streams are merged by `stream \"all\" { from = [stream.a, stream.b] }`",
}

// elsewhereTypes are types of other languages.
var elsewhereTypes = map[string]string{
	"number": "int64", "int": "int64", "integer": "int64", "long": "int64", "short": "int32", "int8": "int32", "int16": "int32", "uint": "int64",
	"uint32": "int64", "uint64": "int64", "float": "float64", "double": "float64", "boolean": "bool", "text": "string", "str": "string",
	"varchar": "string", "char": "string", "date": "timestamp", "time": "timestamp", "datetime": "timestamp", "instant": "timestamp",
	"interval": "duration", "binary": "bytes", "blob": "bytes", "array": "list", "set": "list", "money": "decimal", "numeric": "decimal", "bigdecimal": "decimal",
}

// elsewhereFunctions are functions of Terraform and others, and what is written instead.
var elsewhereFunctions = map[string]string{
	"tostring": "string(x)", "str": "string(x)", "tonumber": "int64(x)", "parseint": "int64(x)", "int": "int64(x)", "float": "float64(x)", "tolist": "a list is written [a, b]",
	"trimspace": "trim(s)", "strip": "trim(s)", "trimprefix": "trim_prefix(s, prefix)", "trimsuffix": "trim_suffix(s, suffix)", "startswith": "starts_with(s, prefix)",
	"endswith": "ends_with(s, suffix)", "strcontains": "contains(s, part)", "len": "length(x)", "size": "length(x)", "toupper": "upper(s)", "tolower": "lower(s)",
	"regex": "extract(s, pattern)", "regexall": "extract(s, pattern)", "regexp": "matches(s, pattern)", "formatdate": "format_time(t, layout)", "timeadd": `timestamp + "5m"`,
	"base64encode": "base64(x)", "base64decode": "unbase64(s)", "urlencode": "url_encode(s)", "distinct": "distinct_of(list)", "sort": "sort_of(list)", "concat": "a template: \"${a}${b}\"",
	"element": "list[i]", "lookup": "map[key]", "ifnull": "coalesce(x, y)", "nvl": "coalesce(x, y)", "if": "condition ? a : b",
	"jsonencode": "value = json in the sink", "jsondecode": "value = json(T) in the source", "now": "timestamp: the time of the record",
}

// elsewhereNames are names of a record in other languages.
var elsewhereNames = map[string]string{
	"each": "value", "self": "value", "this": "value", "it": "value", "record": "value", "rec": "value", "msg": "value", "message": "value", "event": "value",
	"payload": "value", "row": "value", "item": "value", "v": "value", "k": "key", "nil": "null", "None": "null",
	"NULL": "null", "undefined": "null", "True": "true", "TRUE": "true", "False": "false", "FALSE": "false", "ts": "timestamp", "event_time": "timestamp",
}

// elsewhereAttrs are other words for attributes. One that stands for several is looked for in the block in that order.
var elsewhereAttrs = map[string][]string{
	"condition": {"where"}, "if": {"where"}, "when": {"where"}, "predicate": {"where"}, "expr": {"where", "value"}, "expression": {"where", "value"},
	"by": {"key"}, "key_by": {"key"}, "field": {"key", "value"}, "to": {"topic"}, "target": {"topic"}, "topic_name": {"topic"}, "name": {"topic"},
	"format": {"value"}, "serde": {"value"}, "schema": {"value"}, "value_format": {"value"}, "value_serde": {"value"}, "key_format": {"key"}, "key_serde": {"key"},
	"input": {"from"}, "inputs": {"from"}, "source": {"from"}, "sources": {"from"}, "stream": {"from"}, "table": {"with", "from"}, "other": {"with"}, "right": {"with"},
	"alias": {"as"}, "select": {"value"}, "log": {"message"}, "text": {"message"}, "values": {"each"}, "start_from": {"start"}, "offset_reset": {"start"},
	"auto_offset_reset": {"start"}, "guarantee": {"processing_guarantee"}, "partition_count": {"partitions"}, "num_partitions": {"partitions"}, "error_policy": {"on_error"},
}

// elsewhereMeta are attributes that a Terraform block may have and a block here never has.
var elsewhereMeta = map[string]string{
	"count":      "remove it: a block stands for one thing",
	"for_each":   "remove it: a block stands for one thing. Several topics are read by topics = [ … ]",
	"depends_on": "remove it: the order follows from who reads whom",
	"provider":   "remove it: addresses and credentials are flags and environment of the program",
	"lifecycle":  "remove it: state is moved or dropped on purpose, by moved and removed",
	"steps":      "steps are blocks, one below another: `filter { where = … }`",
}

// atRuntime are settings that belong to where a program runs.
var atRuntime = []string{"brokers", "bootstrap_servers", "bootstrap.servers", "broker", "servers", "state_dir", "security_protocol", "sasl", "tls", "ssl", "username", "password", "schema_registry_url"}

// elsewhereBlock hints at the block that is meant by one of another language.
func elsewhereBlock(b *syntax.Block) string {
	if b.Type.Name == "resource" && len(b.Labels) == 2 && topLevel(b.Labels[0].Name) != nil {
		return fmt.Sprintf("the kind is the first word: `%s %q { … }`", b.Labels[0].Name, b.Labels[1].Name)
	}
	if b.Type.Name == "output" && len(b.Labels) == 1 {
		return fmt.Sprintf("results leave through a sink: `sink %q { … }`", b.Labels[0].Name)
	}
	return elsewhereBlocks[b.Type.Name]
}

// elsewhereCase hints at what is meant by a block that a branch does not have.
func elsewhereCase(name string) string {
	switch name {
	case "if", "when", "filter", "where", "branch":
		return "did you mean \"case\"?"
	case "else", "otherwise", "rest":
		return "did you mean \"default\"?"
	}
	return ""
}

// elsewhereAttr hints at what is meant by an attribute that a block does not have, and says which attribute that is, if it is
// one.
func (d *body) elsewhereAttr(a *syntax.Attr) (hint, meant string) {
	name, value := a.Name.Name, d.c.text(a.Value.Pos())
	for _, other := range elsewhereAttrs[name] {
		if d.shape.attr(other) != nil && !d.has(other) {
			return fmt.Sprintf("did you mean %q?", other), other
		}
	}
	kind := d.block.Type.Name
	switch {
	case kind == "map_values" || kind == "flat_map_values":
		return fmt.Sprintf("`value = merge(value, { %s = %s })`: all fields stay, and this one is set", name, value), "value"
	case kind == "aggregate":
		return fmt.Sprintf("`value = { %s = %s }`", name, value), "value"
	case elsewhereMeta[name] != "":
		return elsewhereMeta[name], ""
	case kind == "app" && slices.Contains(atRuntime, name):
		return "remove it: addresses, credentials and directories are flags and environment of the program", ""
	case name == "name" && len(d.block.Labels) == 1:
		return fmt.Sprintf("remove it: the label is the name: `%s %q`", kind, d.block.Labels[0].Name), ""
	case !d.shape.steps:
		return "", ""
	}
	for _, st := range steps {
		if !st.later && (st.word == name || name == "where" && st.word == "filter") {
			return fmt.Sprintf("a step is a block: `%s`", st.written(a.Value, d.c)), ""
		}
	}
	return "", ""
}

// written is a step as it is written with what stands behind an equals sign elsewhere.
func (st *step) written(value syntax.Expr, c *checker) string {
	if o, ok := value.(*syntax.Object); ok {
		text := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(c.text(o.Pos()), "{"), "}"))
		return fmt.Sprintf("%s { %s }", st.word, text)
	}
	if len(st.attrs) > 0 && st.attrs[0].need != "" {
		return fmt.Sprintf("%s { %s = %s }", st.word, st.attrs[0].name, c.text(value.Pos()))
	}
	return st.word + " {}"
}

// elsewhereStep hints at what is meant by a step that there is not.
func elsewhereStep(name string) string {
	word := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	switch word {
	case "sum", "avg", "min", "max", "first", "last":
		return fmt.Sprintf("`aggregate { value = %s(…) }`", word)
	case "dynamic":
		return "there are no dynamic blocks: each step is written out"
	case "where", "if", "when":
		return "did you mean \"filter\"?"
	case "select", "transform", "project", "set", "compute":
		return "did you mean \"map_values\"?"
	case "print", "log", "foreach", "debug":
		return "did you mean \"peek\"?"
	case "through":
		return "did you mean \"repartition\"?"
	case "to", "sink", "write", "output":
		return "a sink is a block of its own: `sink \"name\" { from = … }`"
	case "split", "branch":
		return "a branch is a block of its own: `branch \"name\" { from = … }`"
	case "merge", "union":
		return "streams are merged by a list: from = [stream.a, stream.b]"
	case "groupbykey":
		return "remove it: without group_by the key groups"
	case "keyby", "rekey", "partitionby":
		return "did you mean \"select_key\"? In front of count or aggregate it is group_by"
	}
	return ""
}

// elsewhereType hints at the type that is meant by one of another language.
func elsewhereType(name string) string {
	switch meant := elsewhereTypes[strings.ToLower(name)]; {
	case meant == "list":
		return "did you mean list(string)?"
	case meant == "decimal":
		return "did you mean decimal(12, 2)?"
	case meant != "":
		return fmt.Sprintf("did you mean %s?", meant)
	case name == "object" || name == "struct" || name == "record" || name == "tuple":
		return "a record in a record is a type of its own: declare a `type \"Name\" { … }`, and use its name here"
	case name == "any" || name == "dynamic":
		return "each value has one type; JSON as it came is bytes"
	}
	return ""
}

// meantReference hints at the reference that somebody meant who put it into quotes or brackets; "" if it does not look like one.
func (c *checker) meantReference(e syntax.Expr) string {
	text := unquoted(c.text(e.Pos()))
	if ix, ok := e.(*syntax.Index); ok {
		if k, ok := ix.Key.(*syntax.Text); ok {
			text = c.text(ix.X.Pos()) + "." + k.Value
		}
	}
	kind, label, ok := strings.Cut(text, ".")
	switch {
	case ok && slices.Contains(refKinds, kind) && lowerLabel.MatchString(strings.ReplaceAll(label, ".", "_")):
		return fmt.Sprintf("a reference stands without quotes: `%s`", text)
	case ok:
		return ""
	}
	for _, kind := range refKinds {
		if c.labels[kind][text] != nil {
			return fmt.Sprintf("a reference stands without quotes: `%s.%s`", kind, text)
		}
	}
	return ""
}

// unquoted is a text as written, without its quotes and a ${ } that is all of it.
func unquoted(text string) string {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return text
	}
	text = text[1 : len(text)-1]
	if inner, ok := strings.CutPrefix(text, "${"); ok && strings.HasSuffix(inner, "}") && !strings.Contains(inner, "${") {
		return strings.TrimSpace(strings.TrimSuffix(inner, "}"))
	}
	return text
}

// misquoted hints at how to write what has the wrong type because of how it is written: quotes around it, a number for a duration.
func (x *exprs) misquoted(src string, to, from types.Type) string {
	switch to, from := types.NonNull(to), types.NonNull(from); {
	case from == types.String && strings.HasPrefix(src, `"`) && unquoted(src) != "" && (to == types.Bool || types.IsNumber(to)):
		return fmt.Sprintf("without quotes: `%s`", unquoted(src))
	case to == types.Duration && types.IsNumber(from):
		return fmt.Sprintf("a duration is a text with its unit: `\"%ss\"`, `\"%sms\"`", src, src)
	case to == types.String:
		if r, ok := from.(*types.Record); ok && len(r.Fields) > 0 {
			return fmt.Sprintf("a template of its fields: `\"${%s.%s}\"`", src, r.Fields[0].Name)
		}
	}
	return ""
}

// snake is a label as it is written here: big_orders for BigOrders.
func snake(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r >= 'A' && r <= 'Z':
			if lower {
				b.WriteByte('_')
			}
			b.WriteRune(r - 'A' + 'a')
			lower = false
			continue
		case r == ' ' || r == '.' || r == '/':
			r = '_'
		}
		b.WriteRune(r)
		lower = r != '_' && r != '-'
	}
	return b.String()
}

// camel is the name of a type as it is written here: BigOrder for big_order.
func camel(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == ' ' || r == '.' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
