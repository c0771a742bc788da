package io.indexview.client.read.target;

import java.util.Map;

/**
 * What to read.
 *
 * @param index null: the view's own key
 * @param after {@link FoundRow#position} of the row that comes before, whether or not it is still
 *     there; null: from the start
 * @param rows at most
 * @param absolute whether everything that was applied to the target must be seen; an index of
 *     DynamoDB is read as it is
 */
public record RowRequest(
    KeyQuery query, String index, Map<String, Object> after, int rows, boolean absolute) {}
