import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  crud: 'src/crud/index.ts',
  fresh: 'src/fresh/index.ts',
  testing: 'src/testing/index.ts',
  text: 'src/text/index.ts',
  trace: 'src/trace/index.ts',
})
