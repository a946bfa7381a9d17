import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  testing: 'src/testing/index.ts',
})
