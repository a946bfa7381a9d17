import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  crud: 'src/crud/index.ts',
  fresh: 'src/fresh/index.ts',
  rules: 'src/rules/index.ts',
  testing: 'src/testing/index.ts',
  // Files of their own: a bundle leaves out what it does not import, though some tables are made when a file is loaded.
  'restore-text': 'src/text/restore-text.ts',
  trace: 'src/trace/trace.ts',
})
