let state = 'one'
export const get = () => state
export const set = (value: string) => { state = value }
