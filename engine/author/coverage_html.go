// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// coveragePage is the page of a coverage: one file, without scripts and without anything from elsewhere.
var coveragePage = template.Must(template.New("coverage").Funcs(template.FuncMap{"ranges": ranges}).Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Coverage {{printf "%.1f" .Total.Percent}} %</title>
<style>
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222; background: #fff; }
table { border-collapse: collapse; }
th, td { padding: .2em .8em; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left; }
pre { font: 13px/1.45 ui-monospace, monospace; border: 1px solid #ddd; padding: .5em 0; overflow-x: auto; tab-size: 4; }
pre > span { display: block; padding: 0 1em 0 0; min-width: max-content; }
pre i { display: inline-block; font-style: normal; color: #666; text-align: right; margin-right: 1em; }
i.n { width: 4em; } i.h { width: 6em; }
.ran { background: #e6f4e6; } .missed { background: #fbe3e3; }
</style>
</head>
<body>
<h1>Coverage</h1>
<p>The cases ran {{printf "%.1f" .Total.Percent}} % of {{.Total.Lines}} lines. Beside each line that can run stands how often it did.</p>
<table>
<tr><th>file</th><th>lines</th><th>ran</th><th>missed</th></tr>
{{range $i, $f := .Files}}<tr><td><a href="#f{{$i}}">{{$f.File}}</a></td><td>{{$f.Lines}}</td><td>{{printf "%.1f" $f.Percent}} %</td><td>{{ranges $f.Missed}}</td></tr>
{{end}}</table>
{{range $i, $f := .Files}}<h2 id="f{{$i}}">{{$f.File}}</h2>
<pre>{{range $f.Source}}<span{{with .Class}} class="{{.}}"{{end}}><i class="n">{{.Number}}</i><i class="h">{{.Hits}}</i>{{.Text}}</span>{{end}}</pre>
{{end}}</body>
</html>
`))

// coveredFile is a file of the page.
type coveredFile struct {
	FileCoverage
	Source []coveredLine
}

// coveredLine is a line of a source. Hits and Class are "" for one that cannot run.
type coveredLine struct {
	Number int
	Hits   string
	Class  string
	Text   string
}

// WriteHTML writes the coverage of a report as one page with the sources of the scripts, and how often
// each line ran.
func (p *Plan) WriteHTML(w io.Writer, r *Report) error {
	page := struct {
		Total FileCoverage
		Files []coveredFile
	}{Total: r.Total()}
	for _, f := range r.Coverage {
		text, err := p.source(f.File)
		if err != nil {
			return err
		}
		page.Files = append(page.Files, coveredFile{f, coveredLines(f, text)})
	}
	return coveragePage.Execute(w, page)
}

// source returns the text of a script: of a file that was named, or of a bundle of the program.
func (p *Plan) source(file string) (string, error) {
	data, err := yamldoc.ReadFile(p.selection.Files, file)
	if errors.Is(err, fs.ErrNotExist) && p.selection.Bundles != nil {
		data, err = yamldoc.ReadFile(p.selection.Bundles, file)
	}
	return string(data), err
}

// coveredLines returns the lines of a source.
func coveredLines(f FileCoverage, text string) []coveredLine {
	var all []coveredLine
	for line := range strings.Lines(text) {
		one := coveredLine{Number: len(all) + 1, Text: strings.TrimRight(line, "\r\n")}
		if hits, runs := f.hits[one.Number]; runs {
			one.Hits, one.Class = fmt.Sprint(hits), "ran"
			if hits == 0 {
				one.Class = "missed"
			}
		}
		all = append(all, one)
	}
	return all
}
