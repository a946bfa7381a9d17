import { library } from '../../tsup.base.ts'

export default library({ testing: 'src/testing/index.ts', wire: 'src/wire/index.ts' })
