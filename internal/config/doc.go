// Package config works out what a run goes by from everywhere it can be said.
//
// A key's value comes from the strongest source that says it:
//
//  1. a flag of the command line
//  2. a variable PIPELINE_CFG_<KEY>, the key in capitals with _ for a dot:
//     PIPELINE_CFG_WINDOW_FULL=2; lists and mappings are written as in YAML
//  3. pipeline.yaml in the working directory, else in the nearest folder above
//     it, up to the repository's root
//  4. pipeline/pipeline.yaml in the user's configuration folder
//  5. the default
//
// A list replaces a list, and an entry of executors: replaces the one of the
// same name, whole.
//
// # pipeline.yaml
//
// One YAML document of at most 1 MiB, a mapping, described key by key by
// schemas/pipeline.schema.json. Reading is strict, and everything wrong is told
// at once, with line and column: an unknown or doubled key, a value of another
// type, an empty value, an anchor, alias or tag. Durations are written with
// their unit (90s, 30m, 2h), sizes in bytes or with one (64KiB, 4MiB). In an
// executor's env, ${env:NAME} stands for a variable of our own environment; it
// is looked up only when the executor is used.
//
// A key that belongs to the contract but not yet to this version is refused.
package config
