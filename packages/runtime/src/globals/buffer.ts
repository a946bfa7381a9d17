import { Buffer } from '../buffer/buffer.ts'
import { defineGlobal } from '../define.ts'

defineGlobal('Buffer', Buffer)
