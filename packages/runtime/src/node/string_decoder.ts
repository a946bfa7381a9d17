import { StringDecoder } from '../buffer/string-decoder.ts'

export { StringDecoder }

export default { StringDecoder }
