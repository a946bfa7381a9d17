import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  conntrack: 'src/conntrack/index.ts',
  enter: 'src/enter/index.ts',
  handle: 'src/handle/index.ts',
  netlink: 'src/netlink/index.ts',
  sys: 'src/sys/index.ts',
  testing: 'src/testing/index.ts',
  unix: 'src/unix/index.ts',
})
