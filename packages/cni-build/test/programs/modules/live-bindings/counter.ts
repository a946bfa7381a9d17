export let value = 1
let hidden = 1
export { hidden as default }
export const add = () => { value++; hidden = value * 10 }
