import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  capabilities: 'src/capabilities/index.ts',
  describe: 'src/describe/index.ts',
  'file-sink': 'src/file-sink/index.ts',
  middleware: 'src/middleware/index.ts',
  state: 'src/state/index.ts',
  testing: 'src/testing/index.ts',
  thick: 'src/thick/index.ts',
  uninstalled: 'src/uninstalled/index.ts',
})
