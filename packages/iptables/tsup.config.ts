import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  crud: 'src/crud/index.ts',
  fresh: 'src/fresh/index.ts',
  rules: 'src/rules/index.ts',
  testing: 'src/testing/index.ts',
  // Separate files: a bundler drops an unused file, but keeps tables that a module builds when it loads.
  'restore-text': 'src/text/restore-text.ts',
  trace: 'src/trace/trace.ts',
})
