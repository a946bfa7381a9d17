import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  fresh: 'src/fresh/index.ts',
  rules: 'src/rules/index.ts',
  testing: 'src/testing/index.ts',
  watch: 'src/watch/index.ts',
  wire: 'src/wire/index.ts',
  // Files that are bundled separately, although they are not entry points. Reason: a bundler can drop an unused file.
  // In a larger file, it would keep the tables that an unused module builds when it loads.
  commits: 'src/wire/events/commits.ts',
  sets: 'src/wire/dumps/sets.ts',
  snapshot: 'src/wire/dumps/snapshot.ts',
  trace: 'src/trace/trace.ts',
  traces: 'src/wire/events/traces.ts',
})
