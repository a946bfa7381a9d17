import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  fresh: 'src/fresh/index.ts',
  rules: 'src/rules/index.ts',
  testing: 'src/testing/index.ts',
  watch: 'src/watch/index.ts',
  wire: 'src/wire/index.ts',
  // Files that are bundled separately, although they are not entry points. A bundler can then drop a file that a
  // program does not use. In a larger bundle, the lookup tables that a module builds at load would always stay.
  commits: 'src/wire/events/commits.ts',
  sets: 'src/wire/dumps/sets.ts',
  snapshot: 'src/wire/dumps/snapshot.ts',
  trace: 'src/trace/trace.ts',
  traces: 'src/wire/events/traces.ts',
})
