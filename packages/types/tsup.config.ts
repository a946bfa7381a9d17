import { library } from '../../tsup.base.ts'

export default library({
  index: 'src/index.ts',
  ip: 'src/ip/index.ts',
  packet: 'src/packet/index.ts',
  protobuf: 'src/protobuf/index.ts',
  subnet: 'src/subnet/index.ts',
})
