import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  daemon: 'src/daemon/index.ts',
  testing: 'src/testing/index.ts',
})
