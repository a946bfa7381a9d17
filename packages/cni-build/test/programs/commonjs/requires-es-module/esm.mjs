export const named = 'named'
export default function made() {}
