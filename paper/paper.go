// Package paper is what is printed and what is read back: slips (bulletins) to
// print at home or at an outlet and to read from a photo, and tickets (reçus)
// for thermal printers, as PDF and as pictures. It takes values and returns
// values: no file, clock or printer.
package paper
