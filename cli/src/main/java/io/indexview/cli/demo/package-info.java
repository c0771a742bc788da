/** The main job on real data, and the proof that its outcome is right. */
package io.indexview.cli.demo;
