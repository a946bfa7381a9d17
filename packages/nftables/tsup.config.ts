import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  fresh: 'src/fresh/index.ts',
  rules: 'src/rules/index.ts',
  testing: 'src/testing/index.ts',
  watch: 'src/watch/index.ts',
  wire: 'src/wire/index.ts',
  // Files that are bundled separately, because a bundler can then drop each unused file.
  commits: 'src/wire/events/commits.ts',
  sets: 'src/wire/dumps/sets.ts',
  snapshot: 'src/wire/dumps/snapshot.ts',
  trace: 'src/trace/trace.ts',
  traces: 'src/wire/events/traces.ts',
})
