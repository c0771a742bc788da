package io.indexview.client.read.target;

import io.indexview.views.layout.StoredRow;
import java.util.Map;

/**
 * A row, and where it lies.
 *
 * @param position names it in its target, in texts and numbers
 */
public record FoundRow(StoredRow row, Map<String, Object> position) {}
