import { shared } from './shared.ts'
import { named } from './lazy.ts'
shared.log.push('other')
export const name = `other ${named}`
