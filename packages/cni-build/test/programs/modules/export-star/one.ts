export const a = 'a of one'
export const both = 'one'
export const own = 'own of one'
export default 'one'
