/** House position, tasks, find. */
export const house = {
  'position.title': 'House position',
  'position.span': '{from} to {until}',
  'position.how': 'Left / limit. Arrows choose a night, Page Down shows the next fortnight.',
  'position.total': 'Rooms',
  'position.out_of_order': 'Out of order',
  'position.sold': 'Sold',
  'position.on_hold': 'On hold',
  'position.lent': 'Lent to desks',
  'position.limit': 'Limit',
  'position.left': 'Left',
  'position.binds': '← binds: the house has less left than its types together',
  'position.over_short': 'over {count}',

  'tasks.refused': 'Needs you',
  'tasks.refused_empty': 'Nothing needs you',
  'tasks.refused_how':
    'When the server refuses something that you recorded, it stands here with the reason and what to do.',
  'tasks.unsent': 'Not sent yet',
  'tasks.unsent_empty': 'Everything is sent',
  'tasks.unsent_how':
    'What you do while the server cannot be reached waits here and is sent by itself, in order.',
  'tasks.tick': 'Done with it',
  'tasks.ticked': '{about}: ticked off',
  'tasks.open': 'Open the reservation',
  'tasks.attempts': 'tried {count} times',

  'find.title': 'Find',
  'find.placeholder': 'Guest, confirmation number, room, or what to do',
  'find.acts': 'What to do',
  'find.stays': 'Stays',
  'find.guests': 'Guests',
  'find.rooms': 'Rooms',
  'find.new_for': 'new reservation',
  'find.room_on_chart': 'on the tape chart',
  'find.nothing': 'Nothing is called “{query}”',
  'find.nothing_how': 'Try a part of the name, the number on the confirmation, or a room.',
} as const;
