import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  crud: 'src/crud/index.ts',
  fresh: 'src/fresh/index.ts',
  rules: 'src/rules/index.ts',
  testing: 'src/testing/index.ts',
  // Separate files, because a bundler can drop only a whole unused file.
  'restore-text': 'src/text/restore-text.ts',
  trace: 'src/trace/trace.ts',
})
