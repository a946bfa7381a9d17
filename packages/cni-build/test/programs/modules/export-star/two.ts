export const b = 'b of two'
export const both = 'two'
