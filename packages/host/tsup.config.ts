import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  cli: 'src/cli/index.ts',
  debug: 'src/debug/index.ts',
  similar: 'src/similar.ts',
})
