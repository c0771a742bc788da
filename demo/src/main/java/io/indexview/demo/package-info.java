/**
 * A whole stack on one machine, from the command line: the main job on real data with the proof
 * that its outcome is right, and a stack to work with.
 */
package io.indexview.demo;
