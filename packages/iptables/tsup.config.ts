import { library } from '../../tsup.base.ts'

export default library({ index: 'src/index.ts', ipset: 'src/ipset/index.ts', testing: 'src/testing/index.ts' })
