/** The methods and constructors of the built-in classes: each file adds its own. */
import './descriptors.ts';
import './dicts.ts';
import './letters.ts';
import './numbers/constructors.ts';
import './numbers/texts.ts';
import './sequence-constructors.ts';
import './sequences.ts';
import './sets.ts';
import './special-names.ts';
