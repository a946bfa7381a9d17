import { shared } from './shared.ts'
shared.log.push('lazy')
export default 'default of lazy'
export const named = 1
