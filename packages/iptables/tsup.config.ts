import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  crud: 'src/crud/index.ts',
  fresh: 'src/fresh/index.ts',
  rules: 'src/rules/index.ts',
  testing: 'src/testing/index.ts',
  // Builds these modules as separate files, because a bundler can drop an unused file. In a used file, a bundler keeps
  // all tables that the file builds when it loads, even unused tables.
  'restore-text': 'src/text/restore-text.ts',
  trace: 'src/trace/trace.ts',
})
